#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything from a fresh machine to a tested kernel: packages, build, install, then record and replay an example.
#   tools/first-run.sh [prefix]        prefix: where to install, by default ./install
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=$(realpath -m "${1:-$root/install}")
say() { printf '\n== %s\n' "$*"; }

say "1/5 packages"
"$root/tools/setup/packages.sh"

say "2/5 build and install Mneme into $prefix"
"$root/tools/setup/build.sh" "$root/build-commands" -DMNEME_BUILD_TESTS=OFF
cmake --install "$root/build-commands" --prefix "$prefix" --strip >/dev/null
export PATH="$prefix/bin:$PATH"

say "3/5 build examples/saxpy with find_package(Mneme)"
work=$root/build-commands/saxpy
rm -rf "$work" && mkdir -p "$work"
cp -r "$root/examples/saxpy" "$work/source"
rm -rf "$work/source/recordings"
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log" >&2; exit 1; }
cmake --build "$work/build"

say "4/5 record: mneme record -o recordings -- build/saxpy"
(cd "$work/source" && mneme record -o recordings -- ../build/saxpy)
mneme ls "$work/source/recordings"

say "5/5 replay against the current build: ctest -L mneme-replay"
ctest --test-dir "$work/build" -L mneme-replay --output-on-failure --no-tests=error

say "done"
cat <<END
The launch is a test of the current build from now on. Try it:
  edit   $work/source/saxpy.cu     (for example, a * x[i] - y[i])
  then   cmake --build $work/build && ctest --test-dir $work/build -L mneme-replay --output-on-failure
In your own project: find_package(Mneme REQUIRED) and mneme_add_recordable_kernel(<target> RECORDINGS recordings),
configured with -DCMAKE_PREFIX_PATH=$prefix
END
