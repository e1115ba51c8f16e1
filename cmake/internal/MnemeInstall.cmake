# SPDX-License-Identifier: Apache-2.0
# Install rules and packages. Everything is found relative to its own place, so an install can be moved.

# A bin/mneme that is not ours (the namesake has one) is left alone.
install(CODE [[
  set(command "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/mneme")
  if(EXISTS "${command}")
    file(STRINGS "${command}" ours REGEX "Mneme records GPU kernel launches and replays them" LIMIT_COUNT 1)
    if(NOT ours)
      message(FATAL_ERROR "${command} belongs to another program (the Mneme of Olympus-HPC installs one): choose another prefix.")
    endif()
  endif()
]])

set(tools ${exported})
list(REMOVE_ITEM tools mneme_runtime mneme_cli mneme_host_runtime)
set_target_properties(mneme_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
set_target_properties(${tools} PROPERTIES INSTALL_RPATH "$ORIGIN/../../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS mneme_cli EXPORT MnemeTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS ${tools} EXPORT MnemeTargets RUNTIME DESTINATION "${MNEME_LIBEXEC}")
install(TARGETS mneme_runtime EXPORT MnemeTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET mneme_host_runtime)
  set_target_properties(mneme_host_runtime PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS mneme_host_runtime EXPORT MnemeTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(DIRECTORY "${Mneme_SOURCE_DIR}/runtime/include/mneme/host" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mneme")
install(EXPORT MnemeTargets NAMESPACE Mneme:: DESTINATION "${MNEME_CMAKE_DIR}")

set(MNEME_CONFIG_LIBEXEC "\${PACKAGE_PREFIX_DIR}/${MNEME_LIBEXEC}")
set(MNEME_CONFIG_HOST_INCLUDE "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}/mneme/host")
set(install_config "${Mneme_BINARY_DIR}/cmake/install")
configure_package_config_file("${Mneme_SOURCE_DIR}/MnemeConfig.cmake.in" "${install_config}/MnemeConfig.cmake"
  INSTALL_DESTINATION "${MNEME_CMAKE_DIR}")
install(FILES "${install_config}/MnemeConfig.cmake" "${build_config}/MnemeConfigVersion.cmake"
        DESTINATION "${MNEME_CMAKE_DIR}")
list(TRANSFORM public_functions PREPEND "${Mneme_SOURCE_DIR}/cmake/" OUTPUT_VARIABLE function_files)
list(TRANSFORM internal_modules PREPEND "${Mneme_SOURCE_DIR}/cmake/internal/" OUTPUT_VARIABLE internal_files)
install(FILES ${function_files} DESTINATION "${MNEME_CMAKE_DIR}")
install(FILES ${internal_files} DESTINATION "${MNEME_CMAKE_DIR}/internal")

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TXZ DEB)
  set(CPACK_PACKAGE_NAME mneme)
  set(CPACK_PACKAGE_VENDOR "Mneme")
  set(CPACK_PACKAGE_CONTACT "Mneme developers")
  set(CPACK_PACKAGING_INSTALL_PREFIX /opt/mneme)
  set(CPACK_RESOURCE_FILE_LICENSE "${Mneme_SOURCE_DIR}/LICENSE")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-22, binutils, cmake (>= 3.25)")
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  include(CPack)
endif()
