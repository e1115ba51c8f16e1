# SPDX-License-Identifier: Apache-2.0
# Replay tests are found when ctest runs: the build leaves one small script per target and configuration.
include_guard(GLOBAL)

set_property(GLOBAL PROPERTY _MNEME_DISCOVERY_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/MnemeDiscoverRecordings.cmake")

# More arguments: the function that asks, for its messages.
function(_mneme_check_code_target target code)
  set(function mneme_add_replay_tests)
  if(ARGC GREATER 2)
    set(function ${ARGV2})
  endif()
  if(NOT TARGET ${code})
    message(FATAL_ERROR "${function}(${target}): CODE \"${code}\" is not a target (yet).")
  endif()
  get_target_property(type ${code} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "${function}(${target}): \"${code}\" is no file that can be replayed; name an executable "
                        "that links it: CODE <executable target>.")
  endif()
endfunction()

# Tests of a directory are written only if testing is on in it and in all above it.
function(_mneme_enable_testing)
  set(directory "${CMAKE_CURRENT_SOURCE_DIR}")
  while(directory)
    cmake_language(DEFER DIRECTORY "${directory}" CALL enable_testing)
    get_property(directory DIRECTORY "${directory}" PROPERTY PARENT_DIRECTORY)
  endwhile()
endfunction()

function(_mneme_check_test_paths function target directory)
  foreach(path IN ITEMS "${directory}" "${CMAKE_CURRENT_BINARY_DIR}")
    if(path MATCHES ";")
      message(FATAL_ERROR "${function}(${target}): CTest cannot handle the \";\" in \"${path}\".")
    endif()
  endforeach()
endfunction()

function(_mneme_discover_recordings target recordings code device kernels timeout tolerance labels)
  get_filename_component(directory "${recordings}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  _mneme_check_test_paths(mneme_add_replay_tests ${target} "${directory}")
  string(MD5 id "${target}|${directory}|${code}|${device}|${kernels}|${tolerance}|${labels}")
  string(SUBSTRING ${id} 0 8 id)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/mneme/${target}-${id}")
  get_property(script GLOBAL PROPERTY _MNEME_DISCOVERY_SCRIPT)
  set(tests "_mneme_add_recordings([==[${target}]==] [==[${directory}]==] [==[$<TARGET_FILE:${code}>]==] [==[${device}]==]
  [==[${kernels}]==] [==[${timeout}]==] [==[${tolerance}]==] [==[${labels}]==] [==[$<TARGET_FILE:Mneme::cli>]==]
  [==[${CMAKE_COMMAND}]==] [==[${CMAKE_CURRENT_BINARY_DIR}]==] [==[${MNEME_TEST_RESOURCES}]==])\n")
  file(GENERATE OUTPUT "${base}-$<CONFIG>.cmake" CONTENT "include([==[${script}]==])\n${tests}" TARGET ${code})
  _mneme_include_at_test_time("${base}")
  _mneme_remember_tested(${target})
  _mneme_enable_testing()
endfunction()

# <base>-<configuration>.cmake is read whenever ctest runs.
function(_mneme_include_at_test_time base)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(configuration "${CMAKE_BUILD_TYPE}")
  if(multi)
    set(configuration "\${CTEST_CONFIGURATION_TYPE}")
  endif()
  file(WRITE "${base}.cmake" "include(\"${base}-${configuration}.cmake\" OPTIONAL)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}.cmake")
endfunction()

# What an alias stands for: aliases have no properties of their own.
function(_mneme_real_target result target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  set(${result} ${target} PARENT_SCOPE)
endfunction()

# Gates of the target take the same where they are not told otherwise; of several sets' options the first one's.
# Reads the arguments of _mneme_discover_recordings.
function(_mneme_remember_tested target)
  if(NOT TARGET ${target})
    return()  # a name for the tests alone
  endif()
  _mneme_real_target(target ${target})
  set_property(TARGET ${target} APPEND PROPERTY MNEME_TESTED_RECORDINGS "${directory}")
  foreach(option IN ITEMS device code kernels tolerance)
    string(TOUPPER ${option} upper)
    get_property(known TARGET ${target} PROPERTY MNEME_TESTED_${upper} SET)
    if(NOT known)
      set_property(TARGET ${target} PROPERTY MNEME_TESTED_${upper} "${${option}}")
    endif()
  endforeach()
endfunction()

# Sets the caller's arg_<OPTION> where it was left out, as the target's replay tests have it. Recordings must come from somewhere.
macro(_mneme_take_tested function target)
  foreach(option ${ARGN})
    if(NOT DEFINED arg_${option})
      get_target_property(known ${target} MNEME_TESTED_${option})
      if(known)
        set(arg_${option} "${known}")
      endif()
    endif()
  endforeach()
  if(MNEME_RECORDABLE AND NOT arg_RECORDINGS)
    message(FATAL_ERROR "${function}(${target}): RECORDINGS is missing, and \"${target}\" has no replay tests whose recordings "
                        "could be taken.")
  endif()
endmacro()
