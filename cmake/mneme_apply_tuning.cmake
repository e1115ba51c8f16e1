# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
mneme_apply_tuning
------------------

Gives a target's sources what tunings found, as one header a kernel::

  mneme_apply_tuning(<target> TUNED <file>)

A source asks for a kernel by including ``<mneme/tuned/KERNEL.h>``, with the kernel's name as recordings have it, and then for
values with the default that holds without a tuning: ``tuned::KERNEL.block_x_or(256)``.

``TUNED``
  The file that ``mneme tune`` writes, relative to the source directory. It need not exist.

Headers are written by CMake while building, only if they say something new; a device is asked for at run time. No Mneme tool
and no device takes part, so cross builds work. With ``MNEME_RECORDABLE=OFF`` it does the same.

Example::

  mneme_apply_tuning(heat TUNED tuned.json)
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeArguments.cmake")
set_property(GLOBAL PROPERTY _MNEME_TUNED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/internal/MnemeTunedHeaders.cmake")

function(mneme_apply_tuning target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TUNED" "")
  _mneme_check_arguments(mneme_apply_tuning)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "mneme_apply_tuning: there is no target \"${target}\" (yet).")
  endif()
  if(NOT DEFINED arg_TUNED)
    message(FATAL_ERROR "mneme_apply_tuning(${target}): TUNED is missing: the file that `mneme tune` writes.")
  endif()
  get_filename_component(tuned "${arg_TUNED}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  _mneme_tuned_names(names ${target})
  if(NOT names)
    message(STATUS "Mneme: no source of \"${target}\" includes <mneme/tuned/KERNEL.h>: the tuning has no effect.")
    return()
  endif()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/mneme/${target}-tuned")
  list(TRANSFORM names REPLACE "(.+)" "${out}/mneme/tuned/\\1.h" OUTPUT_VARIABLE headers)
  list(JOIN names "," names)
  get_property(script GLOBAL PROPERTY _MNEME_TUNED_SCRIPT)
  set(command "${CMAKE_COMMAND}" "-DTUNED=${tuned}" "-DNAMES=${names}" "-DOUT=${out}" -P "${script}")
  # At configure time for tools that read sources, at build time for what was tuned since.
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_target(mneme-apply-${target} COMMAND ${command} BYPRODUCTS ${headers} COMMENT "" VERBATIM)
  add_dependencies(${target} mneme-apply-${target})
  target_include_directories(${target} BEFORE PRIVATE "${out}")
  target_link_libraries(${target} PRIVATE Mneme::runtime)
endfunction()

# The kernels whose headers the target's sources and its own headers include.
function(_mneme_tuned_names out target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(names "")
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${directory}")
    if(NOT EXISTS "${path}" OR IS_DIRECTORY "${path}")
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(STRINGS "${path}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]mneme/tuned/[A-Za-z_][A-Za-z0-9_]*\\.h[>\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*mneme/tuned/([A-Za-z0-9_]+)\\.h.*" "\\1" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
