# SPDX-License-Identifier: Apache-2.0
# Builds the project with a target per set of options; check.sh looks at each.
source "$MNEME_SOURCE/tests/cuda_build/nvcc.sh"
configure "$MNEME_SOURCE/tests/cuda_build/project" b
build b -j2
! grep -qE 'PTX only|no PTX' build.log || { cat build.log; fail "a kernel without bitcode"; }
