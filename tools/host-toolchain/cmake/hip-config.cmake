# SPDX-License-Identifier: Apache-2.0
# find_package(hip) for programs whose C++ sources call the runtime: hip::host, hip::device and hip::amdhip64.
get_filename_component(hip_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(hip_INCLUDE_DIR "${hip_ROOT_DIR}/include")
set(hip_INCLUDE_DIRS "${hip_INCLUDE_DIR}")
set(hip_LIBRARIES hip::host)
set(HIP_PLATFORM nvidia)
set(HIP_RUNTIME_LIBRARY "${hip_ROOT_DIR}/lib/libamdhip64.so")
foreach(_mneme_target IN ITEMS hip::amdhip64 hip::host hip::device)
  if(NOT TARGET ${_mneme_target})
    add_library(${_mneme_target} INTERFACE IMPORTED)
    set_target_properties(${_mneme_target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${hip_INCLUDE_DIR}"
                                                      INTERFACE_LINK_LIBRARIES "${HIP_RUNTIME_LIBRARY}")
  endif()
endforeach()
