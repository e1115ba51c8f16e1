# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
mneme_add_gate
--------------

Makes each recording a gate of the current build: it still answers the same, is no slower, needs no more registers::

  mneme_add_gate(<target> [RECORDINGS <dir>...] [KINDS verify|perf|static...] [MAX_SLOWDOWN <ratio>] [MIN_EFFECT <time>]
                 [STATIC_LIMITS <limit>...] [BASELINE recorded|<file or target>] [UNDECIDED fail|skip|pass]
                 [DEVICE <device>] [CODE <target>] [KERNELS <regex>] [TOLERANCE <spec>...] [LABELS <label>...]
                 [TIMEOUT <seconds>] [BUDGET <seconds>])

The recordings are looked at when ``ctest`` runs, by file names alone.

``RECORDINGS``
  Directories of recording sets, relative to the source directory. Default: those whose replay tests the target has.
``KINDS``
  Which gates. Default: ``verify perf static``.
``MAX_SLOWDOWN``
  Candidate over baseline that is allowed: ``1.05`` allows 5 % slower. Default: ``1.01``, on the host device ``1.10``.
``MIN_EFFECT``
  A shorter difference of one launch never fails: ``200ns``, ``5us``. Default: ``100ns``, on the host device ``2us``.
``STATIC_LIMITS``
  ``registers=+0`` (no more than the baseline), ``spills=0`` (at most), ``occupancy=-0`` (no less), ``instructions=+5%``.
  Default: ``registers=+0 spills=+0 stack=+0 occupancy=-0``; a limit that is given replaces the one of its metric.
``BASELINE``
  ``recorded``: the code in the recording; a target or binary of another build; or stored times (``.json``). Default
  ``recorded``.
``UNDECIDED``
  What a gate that cannot decide counts as: ``fail`` (exit code 5), ``skip`` or ``pass``. Default ``fail``.
``DEVICE``
  What the gates run on: ``auto``, ``host``, ``cuda`` or ``hip``. Default: as the target's replay tests, else ``auto``.
``CODE``
  Executable or shared library under test. Default: as the target's replay tests, else the target.
``KERNELS``
  Only recordings whose file name's kernel part matches the regular expression. Default: all.
``TOLERANCE``
  Passed on as ``mneme gate --tolerance``. Default: as the target's replay tests.
``LABELS``
  More labels for the tests. Default: none.
``TIMEOUT``
  Seconds that one process of a gate may take. Default 240.
``BUDGET``
  Seconds that all perf gates of the call may take together, at 30 s a recording. With more recordings each day takes
  others, and a skipped test says how many were left out; ``MNEME_PERF=all`` takes them all. Default 1800.

Makes the tests ``<target>.<kernel>.<hash8>.<kind>`` with the labels ``mneme``, ``mneme-gate`` and ``mneme-gate-<kind>``, and
the target ``mneme-gate``, which builds the code and runs them all. Perf gates are there only with ``MNEME_PERF=1`` in the
environment, which that target sets; otherwise the skipped test ``<target>.perf-gates`` says so. In a ``Debug`` build they
are skipped. With ``MNEME_RECORDABLE=OFF`` it makes nothing.

Example::

  mneme_add_gate(heat MAX_SLOWDOWN 1.03 STATIC_LIMITS registers=+2 spills=0)
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeReplayTests.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeGateTests.cmake")

function(mneme_add_gate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MAX_SLOWDOWN;MIN_EFFECT;BASELINE;UNDECIDED;DEVICE;CODE;KERNELS;TIMEOUT;BUDGET" "RECORDINGS;KINDS;STATIC_LIMITS;TOLERANCE;LABELS")
  _mneme_check_arguments(mneme_add_gate)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "mneme_add_gate: there is no target \"${target}\" (yet).")
  endif()
  _mneme_gate_defaults(${target})
  _mneme_check_gate(${target})
  if(NOT MNEME_RECORDABLE)
    _mneme_note_unrecordable(${target} "gates")
    return()
  endif()
  _mneme_check_code_target(${target} ${arg_CODE} mneme_add_gate)
  foreach(recordings IN LISTS arg_RECORDINGS)
    _mneme_discover_gates(${target} "${recordings}")
  endforeach()
  _mneme_gate_target(${arg_CODE})
endfunction()
