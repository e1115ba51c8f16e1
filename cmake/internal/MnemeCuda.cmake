# SPDX-License-Identifier: Apache-2.0
# Finds what there is of the CUDA toolkit, without enabling the language: headers for the back-end and the recorder,
# nvcc for tests. Nothing is linked. Sets MNEME_HAVE_CUDA, MNEME_HAVE_CUPTI, MNEME_NVCC; makes mneme_cuda_headers.
include_guard(GLOBAL)

set(MNEME_HAVE_CUDA OFF)
set(MNEME_HAVE_CUPTI OFF)
# As CMake's own modules do: a CUDAToolkit_ROOT that was given is the only place that is searched.
set(mneme_cuda_roots "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda /opt/cuda)
set(mneme_cuda_only "")
if(CUDAToolkit_ROOT)
  set(mneme_cuda_roots ${CUDAToolkit_ROOT})
  set(mneme_cuda_only NO_DEFAULT_PATH)
endif()

if("cuda" IN_LIST MNEME_BACKENDS)
  find_path(MNEME_CUDA_INCLUDE_DIR cuda.h HINTS ${mneme_cuda_roots} ${mneme_cuda_only}
            PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(MNEME_CUPTI_INCLUDE_DIR cupti.h HINTS ${mneme_cuda_roots} ${mneme_cuda_only}
            PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
  find_program(MNEME_NVCC nvcc HINTS ${mneme_cuda_roots} ${mneme_cuda_only} PATH_SUFFIXES bin)
  mark_as_advanced(MNEME_CUDA_INCLUDE_DIR MNEME_CUPTI_INCLUDE_DIR MNEME_NVCC)
  if(MNEME_CUDA_INCLUDE_DIR)
    set(MNEME_HAVE_CUDA ON)
    add_library(mneme_cuda_headers INTERFACE)
    target_include_directories(mneme_cuda_headers SYSTEM INTERFACE "${MNEME_CUDA_INCLUDE_DIR}")
    if(MNEME_CUPTI_INCLUDE_DIR)
      set(MNEME_HAVE_CUPTI ON)
      target_include_directories(mneme_cuda_headers SYSTEM INTERFACE "${MNEME_CUPTI_INCLUDE_DIR}")
    else()
      message(STATUS "Mneme: cupti.h not found: CUDA programs can be replayed but not recorded by this build")
    endif()
  else()
    message(STATUS "Mneme: cuda.h not found: the cuda back-end is left out")
  endif()
endif()
