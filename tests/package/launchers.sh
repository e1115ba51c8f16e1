# SPDX-License-Identifier: Apache-2.0
# The user's own launcher stays behind ours; with ccache a changed kernel is never a stale note.
command -v ccache > /dev/null || { echo "ccache is not installed"; exit 77; }
project p <<'CMAKE'
add_executable(app main.cpp app.cu)
mneme_add_recordable_kernel(app)
CMAKE
main_for add > p/main.cpp
export CCACHE_DIR="$PWD/ccache"
for step in 2 3 2; do
  kernel p/app.cu add
  sed -i "s/+= STEP/+= $step/" p/app.cu
  rm -rf b
  configure p b -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  build b --verbose
  bitcode b/app add | grep -q "fadd.* $step.0" || fail "stale note, not $step"
  grep -q 'mneme-note-compiler.* -- [^ ]*ccache ' build.log || fail "the user's launcher is gone"
done
ccache -s | grep -q 'Hits' || fail "the plain source went past ccache"
