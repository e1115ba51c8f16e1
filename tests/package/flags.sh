# SPDX-License-Identifier: Apache-2.0
# Flags made for the other compiler do not break the device sources; precompiled headers, unity builds, LTO neither.
project p <<'CMAKE'
add_executable(app main.cpp other.cpp app.cu second.cu)
target_precompile_headers(app PRIVATE <vector>)
set_target_properties(app PROPERTIES UNITY_BUILD ON INTERPROCEDURAL_OPTIMIZATION ${LTO} CXX_STANDARD 20)
target_compile_options(app PRIVATE ${EXTRA})
target_link_options(app PRIVATE ${LINK_EXTRA})
mneme_add_recordable_kernel(app)
CMAKE
kernel p/app.cu add
kernel p/second.cu second
main_for add second > p/main.cpp
echo 'int other() { return static_cast<int>(std::vector<int>(3).size()); }' > p/other.cpp
sanitizers="-fsanitize=address,undefined"
configure p b -DLTO=ON "-DEXTRA=-Wall;-Wextra;-Werror;-Wpedantic;-Wlogical-op;-Wduplicated-cond;-march=native;-fconserve-stack;-fno-guess-branch-probability;--param=ssp-buffer-size=4;-fno-semantic-interposition;-g3"
build b
holds b/app add second
b/app || fail "app"
configure p c -DLTO=OFF "-DEXTRA=$sanitizers;-fno-omit-frame-pointer;--coverage;-fprofile-update=atomic" "-DLINK_EXTRA=$sanitizers;--coverage"
build c
holds c/app add second
! bitcode c/app add | grep -qE '__asan|__ubsan|llvm_gcov' || fail "instrumentation on the device side"
configure p d -DLTO=OFF "-DEXTRA=-ffast-math"
build d
bitcode d/app add | grep -qE 'fadd.* fast ' || bitcode d/app add | grep -q 'fadd fast\|fadd.*contract.*reassoc\|fadd reassoc' || fail "fast-math does not reach the device side"
