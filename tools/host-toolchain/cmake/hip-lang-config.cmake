# SPDX-License-Identifier: Apache-2.0
# What CMake's HIP language asks of ROCm: the runtime that goes with every HIP target. The stand-in compiler links it itself.
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::device INTERFACE IMPORTED)
  add_library(hip-lang::amdhip64 INTERFACE IMPORTED)
  get_filename_component(_mneme_hip_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties(hip-lang::device hip-lang::amdhip64 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_mneme_hip_root}/include"
    INTERFACE_LINK_LIBRARIES "${_mneme_hip_root}/lib/libamdhip64.so")
  unset(_mneme_hip_root)
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
