# SPDX-License-Identifier: Apache-2.0
# Runs inside ctest: every manifest of a directory becomes a test, by its name alone. Nothing is opened or run.

function(_mneme_add_recordings target directory code device kernels timeout tolerance labels cli cmake folder resources)
  file(GLOB manifests LIST_DIRECTORIES FALSE RELATIVE "${directory}" "${directory}/*.json")
  list(REMOVE_ITEM manifests set.json tolerance.json)
  set(options --device "${device}" --code "${code}" --timeout "${timeout}")
  foreach(spec IN LISTS tolerance)
    list(APPEND options --tolerance "${spec}")
  endforeach()
  math(EXPR limit "6 * ${timeout} + 60")
  set(found FALSE)
  foreach(manifest IN LISTS manifests)
    string(REGEX REPLACE "\\.json$" "" name "${manifest}")
    string(REGEX REPLACE "\\.[^.]*$" "" kernel "${name}")
    if(kernels AND NOT kernel MATCHES "${kernels}")
      continue()
    endif()
    set(found TRUE)
    add_test("${target}.${name}" "${cli}" replay "${directory}/${manifest}" ${options})
    _mneme_set_test("${target}.${name}" "${labels}")
  endforeach()
  if(NOT found)
    add_test("${target}.no-recordings" "${cmake}" -E echo
             "no recordings in ${directory}; make some: ${cli} record -o '${directory}' -- '${code}'")
    set_tests_properties("${target}.no-recordings" PROPERTIES SKIP_REGULAR_EXPRESSION "no recordings in")
    _mneme_set_test("${target}.no-recordings" "${labels}")
  endif()
endfunction()

# Reads limit, folder and resources of its caller.
function(_mneme_set_test test labels)
  set(all mneme mneme-replay ${labels})
  set_tests_properties("${test}" PROPERTIES LABELS "${all}" TIMEOUT "${limit}" SKIP_RETURN_CODE 77
                       WORKING_DIRECTORY "${folder}")
  if(resources)
    set_tests_properties("${test}" PROPERTIES RESOURCE_GROUPS "${resources}")
  endif()
endfunction()
