# SPDX-License-Identifier: Apache-2.0
# How every public function looks at its arguments: what is unknown is an error that names it.
include_guard(GLOBAL)

# Reads the caller's arg_UNPARSED_ARGUMENTS and arg_KEYWORDS_MISSING_VALUES.
macro(_mneme_check_arguments function)
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: unknown argument: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}: no value after: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()

# Sets the caller's arg_<NAME> where it was left out. Arguments: NAME=value
macro(_mneme_set_defaults)
  foreach(default ${ARGV})
    string(REGEX MATCH "^([A-Z]+)=(.*)$" matched "${default}")
    if(NOT DEFINED arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
endmacro()

function(_mneme_one_of function option value)
  if(NOT value IN_LIST ARGN)
    list(JOIN ARGN ", " choices)
    message(FATAL_ERROR "${function}: ${option} is one of ${choices}, not \"${value}\".")
  endif()
endfunction()

function(_mneme_check_own_target function target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  get_target_property(imported ${target} IMPORTED)
  if(aliased OR imported)
    message(FATAL_ERROR "${function}: \"${target}\" is an alias or imported target; name the target itself.")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "${function}: \"${target}\" was made in ${directory}; call it there.")
  endif()
endfunction()

# What MNEME_RECORDABLE=OFF took away is said once, at the end of the configure.
function(_mneme_note_unrecordable target what)
  get_property(known GLOBAL PROPERTY _MNEME_UNRECORDABLE)
  if(NOT known)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _mneme_report_unrecordable)
  endif()
  if(NOT "${target} (${what})" IN_LIST known)
    set_property(GLOBAL APPEND PROPERTY _MNEME_UNRECORDABLE "${target} (${what})")
  endif()
endfunction()

function(_mneme_report_unrecordable)
  get_property(known GLOBAL PROPERTY _MNEME_UNRECORDABLE)
  list(JOIN known ", " text)
  message(STATUS "Mneme: MNEME_RECORDABLE is OFF, left out: ${text}")
endfunction()
