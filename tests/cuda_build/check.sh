# SPDX-License-Identifier: Apache-2.0
# check.sh FOLDER TARGET: every object of the target has notes that agree with its compiler.
set -eu
[[ -d "$1/b" ]] || { echo "not built: no nvcc here"; exit 77; }
cd "$1/b"
mapfile -t objects < <(find "CMakeFiles/$2.dir" -name '*.cu.o')
(( ${#objects[@]} > 0 )) || { echo "no objects of $2"; exit 1; }
exec python3 "$MNEME_SOURCE/tests/cuda_build/compare.py" "$2" "${objects[@]}"
