# SPDX-License-Identifier: Apache-2.0
# What makes Mneme a package: exported targets, config files for the install and for the build tree, CPack.
include(CMakePackageConfigHelpers)

set(MNEME_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Mneme")
set(MNEME_LIBEXEC "${CMAKE_INSTALL_LIBEXECDIR}/mneme")
set(public_functions mneme_add_gate.cmake mneme_add_recordable_kernel.cmake mneme_add_replay_tests.cmake mneme_add_tuning.cmake
                     mneme_apply_tuning.cmake)
set(internal_modules MnemeArguments.cmake MnemeDeviceSources.cmake MnemeDiscoverGates.cmake
                     MnemeDiscoverRecordings.cmake MnemeGateTests.cmake MnemeReplayTests.cmake
                     MnemeSetup.cmake MnemeTunedHeaders.cmake)

add_library(mneme_runtime INTERFACE)
add_library(Mneme::runtime ALIAS mneme_runtime)
file(GLOB public_headers CONFIGURE_DEPENDS "${Mneme_SOURCE_DIR}/runtime/include/mneme/*.h")
target_sources(mneme_runtime INTERFACE FILE_SET HEADERS
  BASE_DIRS "${Mneme_SOURCE_DIR}/runtime/include" "${Mneme_BINARY_DIR}/include"
  FILES ${public_headers} "${Mneme_BINARY_DIR}/include/mneme/version.h")

# Targets of the export set that this build has, under the names that users see.
set(exported mneme_runtime)
foreach(target IN ITEMS mneme_cli mneme_note_compiler mneme_bitcode mneme_nvcc mneme-hostcc mneme_host_runtime mneme_host_runtime_plain)
  if(TARGET ${target})
    string(REGEX REPLACE "^mneme." "" name "${target}")
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    list(APPEND exported ${target})
  endif()
endforeach()
set_target_properties(mneme_runtime PROPERTIES EXPORT_NAME runtime)
if(TARGET mneme_cuda)
  set_target_properties(mneme_cuda PROPERTIES EXPORT_NAME cuda_runtime)
  add_library(Mneme::cuda_runtime ALIAS mneme_cuda)
  list(APPEND exported mneme_cuda)
endif()

set(MNEME_BUILT_BACKENDS "")
foreach(backend IN LISTS MNEME_BACKENDS)
  if(TARGET mneme_backend_${backend} AND (TARGET mneme_host_runtime OR NOT backend STREQUAL "host"))
    list(APPEND MNEME_BUILT_BACKENDS ${backend})
  endif()
endforeach()

# The functions work inside this build too (add_subdirectory, FetchContent); the tools are built before they are used.
include("${Mneme_SOURCE_DIR}/cmake/internal/MnemeSetup.cmake")
_mneme_setup("${Mneme_BINARY_DIR}/libexec/mneme" "${Mneme_SOURCE_DIR}/runtime/include/mneme/host")
set(build_tools mneme_note_compiler)
foreach(tool IN ITEMS mneme_bitcode mneme_nvcc mneme-hostcc)
  if(TARGET ${tool})
    list(APPEND build_tools ${tool})
  endif()
endforeach()
set_property(GLOBAL PROPERTY MNEME_BUILD_TOOLS "${build_tools}")
foreach(function IN LISTS public_functions)
  include("${Mneme_SOURCE_DIR}/cmake/${function}")
endforeach()

# Build tree: <build>/lib/cmake/Mneme as in an install, and <build> itself for -DMneme_DIR=<build>.
set(build_config "${Mneme_BINARY_DIR}/lib/cmake/Mneme")
set(MNEME_CONFIG_LIBEXEC "${Mneme_BINARY_DIR}/libexec/mneme")
set(MNEME_CONFIG_HOST_INCLUDE "${Mneme_SOURCE_DIR}/runtime/include/mneme/host")
configure_package_config_file("${Mneme_SOURCE_DIR}/MnemeConfig.cmake.in" "${build_config}/MnemeConfig.cmake"
  INSTALL_DESTINATION "${build_config}" INSTALL_PREFIX "${Mneme_BINARY_DIR}")
write_basic_package_version_file("${build_config}/MnemeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
foreach(function IN LISTS public_functions)
  configure_file("${Mneme_SOURCE_DIR}/cmake/${function}" "${build_config}/${function}" COPYONLY)
endforeach()
foreach(module IN LISTS internal_modules)
  configure_file("${Mneme_SOURCE_DIR}/cmake/internal/${module}" "${build_config}/internal/${module}" COPYONLY)
endforeach()
file(WRITE "${Mneme_BINARY_DIR}/MnemeConfig.cmake" "include(\"${build_config}/MnemeConfig.cmake\")\n")
file(WRITE "${Mneme_BINARY_DIR}/MnemeConfigVersion.cmake" "include(\"${build_config}/MnemeConfigVersion.cmake\")\n")
export(TARGETS ${exported} NAMESPACE Mneme:: FILE "${build_config}/MnemeTargets.cmake")

if(MNEME_INSTALL)
  include(MnemeInstall)
endif()
