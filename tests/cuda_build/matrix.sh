# SPDX-License-Identifier: Apache-2.0
# The CUDA language in every shape that a project may give it: executable, static, shared and object library, two targets
# that share a source, definitions after the call, a changed header, blanks in every path.
source "$MNEME_SOURCE/tests/cuda_build/nvcc.sh"
folder="a b/source (1)"
project "$folder" <<'CMAKE'
set(CMAKE_CUDA_ARCHITECTURES 90)
add_executable(seven "shared code.cu")
mneme_add_recordable_kernel(seven RECORDINGS rec)
target_compile_definitions(seven PRIVATE STEP=7 "TEXT=\"a b\"")
target_include_directories(seven PRIVATE "my headers")
add_executable(nine "shared code.cu")
target_compile_definitions(nine PRIVATE STEP=9)
target_include_directories(nine PRIVATE "my headers")
mneme_add_recordable_kernel(nine)
add_library(fixed STATIC fixed.cu)
add_library(moving SHARED moving.cu)
add_library(objects OBJECT object.cu)
foreach(library fixed moving objects)
  mneme_add_recordable_kernel(${library})
endforeach()
add_executable(app main.cpp)
target_link_libraries(app PRIVATE fixed moving objects)
CMAKE
kernel "$folder/shared code.cu" add
sed -i '1i #include "more.h"' "$folder/shared code.cu"
sed -i 's/+= STEP/+= STEP + MORE/' "$folder/shared code.cu"
printf '#ifdef TEXT\nstatic_assert(sizeof TEXT == 4);\n#endif\n' >> "$folder/shared code.cu"
main_for add >> "$folder/shared code.cu"
mkdir -p "$folder/my headers"
echo '#define MORE 0' > "$folder/my headers/more.h"
for name in fixed moving object; do kernel "$folder/$name.cu" in_$name; done
main_for in_fixed in_moving in_object > "$folder/main.cpp"
configure "$folder" "$folder/out put"
build "$folder/out put" -j2
out="$folder/out put"
bitcode "$out/seven" add | grep -q 'fadd.* 7.0' || fail "seven does not add 7"
bitcode "$out/nine" add | grep -q 'fadd.* 9.0' || fail "nine does not add 9"
holds "$out/app" in_fixed in_moving in_object
holds "$out/libfixed.a" in_fixed
for program in seven nine app; do "$out/$program" || fail "$program does not run"; done
"$(dirname "$CMAKE")/ctest" --test-dir "$out" -N | grep -q 'seven.no-recordings' || fail "no tests"
# The recorder is asked for only where recording is asked for.
readelf -dW "$out/seven" | grep -q 'NEEDED.*libmneme-cuda' || fail "the recorder is not linked"
sleep 1; echo '#define MORE 4' > "$folder/my headers/more.h"
build "$out" -j2
bitcode "$out/seven" add | grep -q 'fadd.* 1.1.*e+01' || fail "a stale note after a header changed"
build "$out"
! grep -q 'Building CUDA' build.log || fail "built again without a change"
