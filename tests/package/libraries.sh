# SPDX-License-Identifier: Apache-2.0
# Static, shared, object and dlopened libraries; stripping.
project p <<'CMAKE'
foreach(kind IN ITEMS STATIC SHARED OBJECT MODULE)
  string(TOLOWER ${kind} name)
  add_library(lib_${name} ${kind} in_${name}.cu)
  mneme_add_recordable_kernel(lib_${name})
endforeach()
add_executable(app main.cpp)
target_link_libraries(app PRIVATE lib_static lib_shared lib_object)
add_executable(loads loads.cpp)
target_link_libraries(loads PRIVATE ${CMAKE_DL_LIBS})
CMAKE
for kind in static shared object module; do kernel p/in_$kind.cu in_$kind; done
main_for in_static in_shared in_object > p/main.cpp
cat > p/loads.cpp <<'SOURCE'
#include <dlfcn.h>
#include <cstdio>
int main(int, char** argv) {
  if (dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return 0;
  std::puts(dlerror());
  return 1;
}
SOURCE
configure p b
build b
holds b/liblib_static.a in_static
holds b/liblib_shared.so in_shared
holds b/liblib_module.so in_module
holds b/app in_static in_shared in_object
b/app || fail "app"
b/loads "$PWD/b/liblib_module.so" || fail "dlopen"
strip b/app
holds b/app in_static in_shared in_object
