# SPDX-License-Identifier: Apache-2.0
# One CMake target per module, which links only what stands to its left in docs/architecture.md.

# mneme_module(<name> SOURCES … [LINK …] [LINK_PRIVATE …]): static library mneme_<name>, alias mneme::<name>.
function(mneme_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;LINK_PRIVATE")
  add_library(mneme_${name} STATIC ${arg_SOURCES})
  add_library(mneme::${name} ALIAS mneme_${name})
  target_include_directories(mneme_${name} PUBLIC $<BUILD_INTERFACE:${Mneme_SOURCE_DIR}/runtime>
                                                  $<BUILD_INTERFACE:${Mneme_SOURCE_DIR}/runtime/include>
                                                  $<BUILD_INTERFACE:${Mneme_BINARY_DIR}/include>)
  target_compile_options(mneme_${name} PRIVATE -Wall -Wextra -Werror=unused-result)
  target_link_libraries(mneme_${name} PUBLIC ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE})
endfunction()

# mneme_unit_test(<name> SOURCES … LINK … [LABELS …]): one GoogleTest program; CTest shows <name>.<Suite>.<Case>.
function(mneme_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;LABELS")
  add_executable(mneme_test_${name} ${arg_SOURCES})
  target_link_libraries(mneme_test_${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  # Tests are compiled once and run for a moment: compile time is what they cost.
  target_compile_options(mneme_test_${name} PRIVATE -Wall -Wextra -Werror=unused-result -O0 -g1 -U_FORTIFY_SOURCE)
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if("unit" IN_LIST arg_LABELS)
    add_dependencies(mneme_unit_tests mneme_test_${name})
  endif()
  gtest_discover_tests(mneme_test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                       PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 120)
endfunction()
