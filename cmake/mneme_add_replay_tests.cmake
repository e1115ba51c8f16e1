# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
mneme_add_replay_tests
----------------------

Makes each recording of a directory a test of the current build, for recordings kept elsewhere than their target::

  mneme_add_replay_tests(<target> RECORDINGS <dir> [DEVICE <device>] [CODE <target>] [KERNELS <regex>]
                         [TOLERANCE <spec>...] [LABELS <label>...] [TIMEOUT <seconds>])

The directory is looked at when ``ctest`` runs, by file names alone: a new recording needs no new configure.

``RECORDINGS``
  Directory of the recording set, relative to the source directory. Required; it need not exist yet.
``DEVICE``
  What the tests run on: ``auto``, ``host``, ``cuda`` or ``hip``. Default ``auto``: the recording's own device if it is
  there, otherwise ``host``.
``CODE``
  Executable or shared library whose kernels the tests run. Default: ``<target>``. Static and object libraries need it.
``KERNELS``
  Only recordings whose file name's kernel part matches the regular expression. Default: all.
``TOLERANCE``
  Passed on as ``mneme replay --tolerance``: ``[buffer:]atol=...,rtol=...,ulp=...``. Default: the recording's own.
``LABELS``
  More labels for the tests. Default: none.
``TIMEOUT``
  Seconds that one replay may take, waiting for a busy device not counted. Default 240. CTest's own ``TIMEOUT`` is six
  times that and a minute, so that the tool reports first.

Makes the tests ``<target>.<kernel>.<hash8>`` with the labels ``mneme`` and ``mneme-replay`` and ``SKIP_RETURN_CODE 77``;
for a directory without recordings, the skipped test ``<target>.no-recordings``. With ``MNEME_RECORDABLE=OFF`` it makes
nothing. ``MNEME_TEST_RESOURCES`` (``ON`` for ``gpus:1``, or such a text) becomes the ``RESOURCE_GROUPS`` of the tests that
use a GPU, where there is one.

Example::

  mneme_add_replay_tests(heat RECORDINGS ${CMAKE_SOURCE_DIR}/fixtures/heat LABELS nightly)
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeReplayTests.cmake")

function(mneme_add_replay_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RECORDINGS;DEVICE;CODE;KERNELS;TIMEOUT" "TOLERANCE;LABELS")
  _mneme_check_arguments(mneme_add_replay_tests)
  if(NOT DEFINED arg_RECORDINGS)
    message(FATAL_ERROR "mneme_add_replay_tests(${target}): RECORDINGS is missing.")
  endif()
  _mneme_set_defaults(DEVICE=auto CODE=${target} TIMEOUT=240)
  if(NOT arg_TIMEOUT MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "mneme_add_replay_tests(${target}): TIMEOUT is a number of seconds, not \"${arg_TIMEOUT}\".")
  endif()
  if(NOT MNEME_RECORDABLE)
    _mneme_note_unrecordable(${target} "replay tests")
    return()
  endif()
  _mneme_check_code_target(${target} ${arg_CODE})
  _mneme_discover_recordings(${target} "${arg_RECORDINGS}" ${arg_CODE} "${arg_DEVICE}" "${arg_KERNELS}"
                             "${arg_TIMEOUT}" "${arg_TOLERANCE}" "${arg_LABELS}")
endfunction()
