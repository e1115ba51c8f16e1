# SPDX-License-Identifier: Apache-2.0
# clang as CMake's CUDA compiler, with the CUDA toolkit as it is.
source "$MNEME_SOURCE/tests/cuda_build/nvcc.sh"
clang=$(command -v clang++-22 || true)
[[ -n "$clang" ]] || { echo "no clang++-22 here"; exit 77; }
toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
export CUDACXX="$clang"
project p <<'CMAKE'
add_executable(app main.cpp app.cu)
target_compile_definitions(app PRIVATE STEP=6)
mneme_add_recordable_kernel(app)
CMAKE
kernel p/app.cu add
main_for add > p/main.cpp
# CMake 3.25 tries no architecture that CUDA 13 still has when it asks the compiler who it is. clang's newer way of linking
# needs a tool that Debian packs apart.
driver=
[[ -x "$(dirname "$(readlink -f "$clang")")/clang-linker-wrapper" ]] || driver=--no-offload-new-driver
configure p b "-DCMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST=--cuda-path=$toolkit --cuda-gpu-arch=sm_90 $driver" \
  "-DCUDAToolkit_ROOT=$toolkit" "-DCMAKE_CUDA_FLAGS=-Wno-unknown-cuda-version --cuda-path=$toolkit $driver"
build b
holds b/app add
bitcode b/app add | grep -q 'fadd.* 6.0' || fail "no bitcode of the kernel"
! grep -q 'PTX only' build.log || fail "a kernel without bitcode"
b/app || fail "app"
