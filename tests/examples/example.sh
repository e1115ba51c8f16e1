# SPDX-License-Identifier: Apache-2.0
# example.sh <example> <build tree> <file> <bug> <failing test>: builds, replays the checked-in recordings, plants the
# bug, sees just that test fail, and takes the bug out again.
set -euo pipefail
example=$1 build=$2 file=$3 bug=$4 failing=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$example" "$work/source"
cd "$work"
export Mneme_DIR=$build PATH=$build/bin:$PATH
fail() { echo "FAILED: $*"; exit 1; }

replay() {
  cmake --build build >build.txt 2>&1 || { cat build.txt; fail "the build"; }
  ctest --test-dir build -L mneme-replay --output-on-failure --no-tests=error >replay.txt 2>&1
}

[ "$(du -sk source/recordings | cut -f1)" -le 1024 ] || fail "the recordings are larger than 1 MiB"
cmake -S source -B build -G Ninja >configure.txt 2>&1 || { cat configure.txt; fail "the configuration"; }
replay || { cat replay.txt; fail "the checked-in recordings"; }
cat replay.txt
grep -qi "skipped" replay.txt && fail "a replay was skipped"

cp "source/$file" original
sed -i "$bug" "source/$file"
cmp -s original "source/$file" && fail "the bug was not planted"
replay && { cat replay.txt; fail "the planted bug passed"; }
grep -E "^[[:space:]]*[0-9]+ - $failing" replay.txt || { cat replay.txt; fail "another test failed than $failing"; }
grep -qE "element [0-9]+ of [0-9]+ [fi]32, offset" replay.txt || { cat replay.txt; fail "the wrong element is not named with its type"; }

cp original "source/$file"
replay || { cat replay.txt; fail "after the bug was taken out"; }
