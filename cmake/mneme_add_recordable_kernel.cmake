# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
mneme_add_recordable_kernel
---------------------------

Makes the kernels of a target recordable, and each of its recordings a test::

  mneme_add_recordable_kernel(<target> [SOURCES <source>...] [BUILD_FOR auto|host|cuda|hip] [DEVICE <device>]
                              [RECORDINGS <dir>] [CODE <target>] [KERNELS <regex>] [TOLERANCE <spec>...]
                              [LABELS <label>...] [TIMEOUT <seconds>])

Called in the directory that made the target. If there is no target of that name, an executable is made of ``SOURCES``.

``SOURCES``
  Device sources that get notes; must be sources of the target. Default: all ``.cu`` and ``.hip`` sources.
``BUILD_FOR``
  The compiler's path: ``cuda`` or ``hip`` use that CMake language; ``host`` compiles by clang for the CPU device.
  Default ``auto``: the language if it is enabled, otherwise ``host``.
``DEVICE``
  What the replay tests run on: ``auto``, ``host``, ``cuda`` or ``hip``. Default ``auto``, decided at ``ctest`` time.
``RECORDINGS``
  Directory of a recording set, relative to the source directory. Default: none, and no tests.
``CODE``
  Executable or shared library whose kernels the tests run. Default: the target. Static and object libraries need it.
``KERNELS``
  Only recordings whose file name's kernel part matches the regular expression. Default: all.
``TOLERANCE``
  Passed on as ``mneme replay --tolerance``: ``[buffer:]atol=...,rtol=...,ulp=...``. Default: the recording's own.
``LABELS``
  More labels for the tests. Default: none.
``TIMEOUT``
  Seconds that one replay may take, waiting for a busy device not counted. Default 240.

Makes the tests ``<target>.<kernel>.<hash8>`` with the labels ``mneme`` and ``mneme-replay``; for a directory without
recordings, the skipped test ``<target>.no-recordings``.

Example::

  add_executable(heat main.cpp stencil.cu)
  mneme_add_recordable_kernel(heat RECORDINGS recordings)
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/internal/MnemeDeviceSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/mneme_add_replay_tests.cmake")

function(mneme_add_recordable_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BUILD_FOR;DEVICE;RECORDINGS;CODE;KERNELS;TIMEOUT" "SOURCES;TOLERANCE;LABELS")
  _mneme_check_arguments(mneme_add_recordable_kernel)
  if(NOT DEFINED arg_BUILD_FOR)
    set(arg_BUILD_FOR auto)
  endif()
  _mneme_one_of(mneme_add_recordable_kernel BUILD_FOR "${arg_BUILD_FOR}" auto host cuda hip)
  if(NOT TARGET ${target})
    if(NOT arg_SOURCES)
      message(FATAL_ERROR "mneme_add_recordable_kernel: no target \"${target}\", and no SOURCES to make one of.")
    endif()
    add_executable(${target} ${arg_SOURCES})
  endif()
  _mneme_check_own_target(mneme_add_recordable_kernel ${target})
  _mneme_build_device_sources(${target} "${arg_BUILD_FOR}" "${arg_SOURCES}")
  if(DEFINED arg_RECORDINGS)
    set(pass "")
    foreach(option IN ITEMS RECORDINGS DEVICE CODE KERNELS TIMEOUT TOLERANCE LABELS)
      if(DEFINED arg_${option})
        list(APPEND pass ${option} ${arg_${option}})
      endif()
    endforeach()
    mneme_add_replay_tests(${target} ${pass})
  elseif(DEFINED arg_CODE OR DEFINED arg_KERNELS OR DEFINED arg_TOLERANCE OR DEFINED arg_LABELS)
    message(FATAL_ERROR "mneme_add_recordable_kernel(${target}): CODE, KERNELS, TOLERANCE and LABELS are about tests and "
                        "need RECORDINGS.")
  endif()
endfunction()
