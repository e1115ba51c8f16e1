# SPDX-License-Identifier: Apache-2.0
# Notes survive bfd, gold and lld, with unused sections collected and everything stripped.
mkdir linkers  # Debian's lld-22 has no plain ld.lld
ln -s "$(command -v ld.lld-22 || command -v ld.lld)" linkers/ld.lld
project p <<'CMAKE'
add_library(kernels STATIC first.cu second.cu)
mneme_add_recordable_kernel(kernels)
foreach(linker IN ITEMS bfd gold lld)
  add_executable(app_${linker} main.cpp)
  target_compile_options(app_${linker} PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(app_${linker} PRIVATE kernels)
  target_link_options(app_${linker} PRIVATE -B${CMAKE_BINARY_DIR}/../linkers -fuse-ld=${linker} -Wl,--gc-sections -s)
endforeach()
CMAKE
kernel p/first.cu first
kernel p/second.cu second
main_for first second > p/main.cpp
configure p b -DCMAKE_CXX_FLAGS="-ffunction-sections -fdata-sections"
build b
for linker in bfd gold lld; do
  holds b/app_$linker first second
  b/app_$linker || fail "$linker"
done
