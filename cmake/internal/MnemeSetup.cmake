# SPDX-License-Identifier: Apache-2.0
# Options and tools that the public functions need; the same for an installed Mneme and one inside another build.
include_guard(GLOBAL)

macro(_mneme_setup libexec include)
  option(MNEME_RECORDABLE "Make kernels recordable: notes, recorder, replay tests" ON)
  set(MNEME_IR_ARCHS "" CACHE STRING "Architectures (sm_90) whose device code is kept as bitcode; empty: the newest one of each command")
  set(MNEME_TEST_RESOURCES "" CACHE STRING "RESOURCE_GROUPS of replay tests that use a GPU: ON for gpus:1, or such a text")
  find_program(MNEME_CLANG NAMES clang++-22 HINTS /usr/lib/llvm-22/bin DOC "clang++ that compiles device sources")
  find_program(MNEME_OLDER_CLANG NAMES clang++-21 clang++-20 clang++-19 DOC "clang++ for sources that nvcc builds, where there is no 22")
  mark_as_advanced(MNEME_OLDER_CLANG)
  mark_as_advanced(MNEME_CLANG MNEME_TEST_RESOURCES)
  set_property(GLOBAL PROPERTY MNEME_LIBEXEC_DIR "${libexec}")
  set_property(GLOBAL PROPERTY MNEME_HOST_INCLUDE_DIR "${include}")
endmacro()
