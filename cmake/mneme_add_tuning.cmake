# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
mneme_add_tuning
----------------

Makes a build target that tunes the kernels of a target on its recordings::

  mneme_add_tuning(<target> [RECORDINGS <recording or dir>...] [SPACE <file>] [STRATEGY <name>] [BUDGET <N|Ns>]
                   [OBJECTIVE time] [TUNED <file>] [CODE <target>] [DEVICE <device>])

``RECORDINGS``
  Recordings or directories of recording sets, relative to the source directory. Default: those whose replay tests the target
  has.
``SPACE``
  Space file, relative to the source directory. Default: one is derived from each recording.
``STRATEGY``
  How to search; ``mneme tune --help`` lists the names. Default ``auto``.
``BUDGET``
  Configurations to evaluate for each recording (``200``), or seconds (``60s``). Default ``200``.
``OBJECTIVE``
  What is made small. Default ``time``.
``TUNED``
  File of results, relative to the source directory; the one that ``mneme_apply_tuning`` reads. Default ``tuned.json``.
``CODE``
  Executable or shared library whose kernels are tuned. Default: as the target's replay tests, else the target.
``DEVICE``
  What trials run on: ``auto``, ``host``, ``cuda`` or ``hip``. Default: as the target's replay tests, else ``auto``.

Makes the targets ``mneme-tune-<target>`` and ``mneme-tune``, which runs them all. They build the code first, go on from what
was tried before, and write the file only if there is something new. With ``MNEME_RECORDABLE=OFF`` it makes nothing.

Example::

  mneme_add_tuning(heat SPACE space.json BUDGET 100)
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeReplayTests.cmake")

function(mneme_add_tuning target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SPACE;STRATEGY;BUDGET;OBJECTIVE;TUNED;CODE;DEVICE" "RECORDINGS")
  _mneme_check_arguments(mneme_add_tuning)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "mneme_add_tuning: there is no target \"${target}\" (yet).")
  endif()
  _mneme_tuning_defaults(${target})
  if(NOT MNEME_RECORDABLE)
    _mneme_note_unrecordable(${target} "tuning")
    return()
  endif()
  _mneme_check_code_target(${target} ${arg_CODE} mneme_add_tuning)
  _mneme_tuning_options(options)
  set(recordings "")
  foreach(recording IN LISTS arg_RECORDINGS)
    get_filename_component(path "${recording}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND recordings "${path}")
  endforeach()
  add_custom_target(mneme-tune-${target}
    COMMAND Mneme::cli tune ${recordings} --code "$<TARGET_FILE:${arg_CODE}>" ${options}
    COMMENT "Tuning the kernels of ${target}" VERBATIM USES_TERMINAL)
  add_dependencies(mneme-tune-${target} ${arg_CODE})
  if(NOT TARGET mneme-tune)
    add_custom_target(mneme-tune)
  endif()
  add_dependencies(mneme-tune mneme-tune-${target})
endfunction()

# What the caller left out.
macro(_mneme_tuning_defaults target)
  _mneme_take_tested(mneme_add_tuning ${target} RECORDINGS DEVICE CODE)
  _mneme_set_defaults(DEVICE=auto CODE=${target} STRATEGY=auto BUDGET=200 OBJECTIVE=time TUNED=tuned.json)
  if(NOT arg_BUDGET MATCHES "^[1-9][0-9]*s?$")
    message(FATAL_ERROR "mneme_add_tuning(${target}): BUDGET is a number of configurations (200) or of seconds (60s), not \"${arg_BUDGET}\".")
  endif()
  _mneme_one_of("mneme_add_tuning(${target})" OBJECTIVE "${arg_OBJECTIVE}" time)
endmacro()

# The options of `mneme tune`.
function(_mneme_tuning_options out)
  get_filename_component(tuned "${arg_TUNED}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(options --device "${arg_DEVICE}" --strategy "${arg_STRATEGY}" --budget "${arg_BUDGET}" --objective "${arg_OBJECTIVE}" --output "${tuned}")
  if(DEFINED arg_SPACE)
    get_filename_component(space "${arg_SPACE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --space "${space}")
  endif()
  set(${out} "${options}" PARENT_SCOPE)
endfunction()
