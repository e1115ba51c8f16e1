# SPDX-License-Identifier: Apache-2.0
# One cell of the CMake matrix: GENERATOR x KIND (of target) x SITUATION, the CUDA language through the stand-in for nvcc, or
# through MATRIX_NVCC. The kernel's device code and its object's host code each hold the same text of macros and version;
# what the note has must be what the object has, before and after a change of the source.
nvcc=${MATRIX_NVCC:-$("$mneme" host-toolchain)}
place=.
[[ "$SITUATION" != spaces ]] || { mkdir "with some spaces"; cd "with some spaces"; place="with some spaces"; }
launcher=()
[[ "$SITUATION" != ccache ]] || { command -v ccache > /dev/null || { echo "no ccache"; exit 77; }; launcher=(-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache); }
mkdir -p p

# write_kernel VERSION: the text is that of the macros as this compilation sees them.
write_kernel() {
  cat > p/kernel.cu <<SOURCE
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#ifndef STEP
#define STEP none
#endif
#ifndef EXTRA
#define EXTRA none
#endif
#define SEEN "seen version=$1 step=" TEXT(STEP) " extra=" TEXT(EXTRA) " target=" TEXT(TARGET) "."
extern "C" const char* text_$2() { return SEEN; }
__device__ const char device_text[] = SEEN;
__global__ void $2(char* out) { out[threadIdx.x] = device_text[threadIdx.x]; }
void launch_$2(char* out) { $2<<<1, 32>>>(out); }
SOURCE
}

# add_subject NAME: a target of the kind, from the kernel; libraries get an executable around them.
add_subject() {
  case "$KIND" in
    executable) echo "add_executable($1 kernel.cu main.cpp)" ;;
    static) echo "add_library($1 STATIC kernel.cu)" ;;
    shared) echo "add_library($1 SHARED kernel.cu)" ;;
    object) echo "add_library($1 OBJECT kernel.cu)" ;;
  esac
  echo "target_compile_definitions($1 PRIVATE TARGET=$1)"
  echo "mneme_add_recordable_kernel($1)"
  [[ "$KIND" == executable ]] || printf 'add_executable(%s_app main.cpp)\ntarget_link_libraries(%s_app PRIVATE %s)\n' "$1" "$1" "$1"
}

write_kernel 1 step
cat > p/main.cpp <<'SOURCE'
#include <cstdio>
extern "C" const char* text_step();
void launch_step(char*);
int main(int argc, char**) {
  if (argc > 1) launch_step(nullptr);
  std::puts(text_step());
}
SOURCE
{
  add_subject subject
  case "$SITUATION" in
    shared_source) echo 'target_compile_definitions(subject PRIVATE STEP=3)'; add_subject other; echo 'target_compile_definitions(other PRIVATE STEP=7)' ;;
    usage) echo 'add_library(need INTERFACE)
target_compile_definitions(need INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:STEP=3> $<$<COMPILE_LANGUAGE:CXX>:EXTRA=9>)
target_link_libraries(subject PRIVATE need)' ;;
    later) echo 'target_compile_definitions(subject PRIVATE STEP=3)
target_compile_options(subject PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-DEXTRA=5>)' ;;
    unity) echo 'set_target_properties(subject PROPERTIES UNITY_BUILD ON)
target_compile_definitions(subject PRIVATE STEP=3)' ;;
    pch) echo 'target_precompile_headers(subject PRIVATE <vector>)
target_compile_definitions(subject PRIVATE STEP=3)' ;;
    werror) echo 'target_compile_options(subject PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Werror>")
target_compile_definitions(subject PRIVATE STEP=3)' ;;
    *) echo 'target_compile_definitions(subject PRIVATE STEP=3)' ;;
  esac
} > body.cmake
if [[ "$SITUATION" == subdirectory ]]; then
  mkdir p/inner
  mv p/kernel.cu p/main.cpp p/inner
  mv body.cmake p/inner/CMakeLists.txt
  echo 'add_subdirectory(inner)' > body.cmake
  source_folder=inner
fi
LANGUAGES="CXX CUDA" project p < body.cmake
configure p b -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES=75 "${launcher[@]}"
options=() where=b
[[ "$GENERATOR" != *Multi-Config ]] || options=(--config Release)

# program NAME: the executable of a target, wherever the generator puts it.
program() {
  local name=$1
  [[ "$KIND" == executable ]] || name+=_app
  find "$where" -type f -name "$name" -perm -u+x -not -path '*/CMakeFiles/*' | head -n 1
}
# objects NAME: what holds the note: the library or the executable itself.
holder() {
  case "$KIND" in
    static) find "$where" -name "lib$1.a" ;;
    shared) find "$where" -name "lib$1.so" ;;
    object) find "$where" -path "*$1.dir*" -name 'kernel.cu.o' ;;
    *) program "$1" ;;
  esac
}
# check NAME WANTED: the object's own text, and the note's, are the wanted one.
check() {
  local object note
  object=$("$(program "$1")")
  [[ "$object" == "$2" ]] || fail "$1 itself says '$object', not '$2'"
  note=$(bitcode "$(holder "$1")" step | grep -o 'seen version=[^.]*\.' | sort -u)
  [[ "$note" == "$2" ]] || fail "the note of $1 says '$note', the object '$2'"
}
# current VERSION: all targets have the source of that version, with their own macros.
current() {
  build b "${options[@]}"
  local extra=none
  [[ "$SITUATION" != later ]] || extra=5
  check subject "seen version=$1 step=3 extra=$extra target=subject."
  [[ "$SITUATION" != shared_source ]] || check other "seen version=$1 step=7 extra=none target=other."
}
# change VERSION: the source has another text and a newer time.
change() {
  write_kernel "$1" step
  [[ -z "${source_folder:-}" ]] || mv p/kernel.cu "p/$source_folder/kernel.cu"
}
current 1
change 2
current 2
# Once more as it was: a compiler cache has that object.
[[ "$SITUATION" != ccache ]] || { change 1; current 1; }
