# SPDX-License-Identifier: Apache-2.0
# Runs every command of docs/first-steps.md, in order, in a fresh copy of the example, against the build tree.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/saxpy/." "$work"
rm -rf "$work/recordings"
cd "$work"
export Mneme_DIR=$build PATH=$build/bin:$PATH
mapfile -t commands < <(sed -n 's/^\$ //p' "$source/docs/first-steps.md")
[ ${#commands[@]} -ge 5 ] || { echo "no commands found"; exit 1; }
for command in "${commands[@]}"; do
  echo "\$ $command"
  bash -c "$command"
done
ctest --test-dir build -L mneme-replay >passed.txt
grep -q "100% tests passed, 0 tests failed out of 1" passed.txt

# Step 4: a changed answer fails by name, with the command that accepts it.
sed -i 's/a \* x\[i\] + y\[i\]/a * x[i] - y[i]/' saxpy.cu
cmake --build build >/dev/null
if ctest --test-dir build -L mneme-replay --output-on-failure >failure.txt; then echo "the planted bug passed"; exit 1; fi
cat failure.txt
grep -q "expected" failure.txt && grep -q "mneme baseline update" failure.txt
