# SPDX-License-Identifier: Apache-2.0
# Records program NAME of project BUILD and replays what came of it through CTest. Expects COUNT recordings, the
# program's own exit code EXIT and its own standard output, and that a second recording replaces the first.
set(set "${BUILD}/recordings/${NAME}")
file(REMOVE_RECURSE "${set}")

function(record)
  execute_process(COMMAND "${MNEME}" record -o "${set}" ${OPTIONS} -- "${BUILD}/${NAME}" ${ARGUMENTS}
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  message("${output}${errors}")
  if(NOT status EQUAL EXIT)
    message(FATAL_ERROR "mneme record exited with ${status}, the program alone exits with ${EXIT}")
  endif()
  if(EXIT EQUAL 0 AND NOT output STREQUAL "ok\n")
    message(FATAL_ERROR "the program's standard output changed")
  endif()
  foreach(pattern IN LISTS SAYS)
    if(NOT errors MATCHES "${pattern}")
      message(FATAL_ERROR "mneme record does not say: ${pattern}")
    endif()
  endforeach()
  if(errors MATCHES "NOT reproduced")
    message(FATAL_ERROR "a recording that its replay does not reproduce")
  endif()
  file(GLOB manifests "${set}/*.*.json")
  list(LENGTH manifests count)
  if(NOT count EQUAL COUNT)
    message(FATAL_ERROR "expected ${COUNT} recordings, found ${count}: ${manifests}")
  endif()
endfunction()

# A reviewer sees what the code was made from.
function(check_origin manifest)
  file(READ "${manifest}" json)
  foreach(path "code;0;source" "code;0;command" "toolchain")
    string(JSON value GET "${json}" ${path})
    if(value STREQUAL "")
      message(FATAL_ERROR "${manifest}: ${path} is empty")
    endif()
  endforeach()
endfunction()

record()
file(GLOB manifests "${set}/*.*.json")
foreach(manifest IN LISTS manifests)
  check_origin("${manifest}")
endforeach()
record()  # replaces, never duplicates
execute_process(COMMAND "${CTEST}" --test-dir "${BUILD}" -R "^${NAME}\\." -L mneme-replay --no-tests=error
                        --output-on-failure OUTPUT_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 0 OR output MATCHES "Skipped" OR NOT output MATCHES "out of ${COUNT}\n")
  message(FATAL_ERROR "the replays did not all pass")
endif()
