# SPDX-License-Identifier: Apache-2.0
# Programs that crash lose no launch that was over, end as they would alone, and the summary says what is true.
source "$(dirname "$0")/robust.sh"
program=$2/ends
export MNEME_RECORD_DEADLINE_MS=60000  # a busy machine is no reason here

# ends <how> <exit code> <recordings> <text in the summary> [record option…]
ends() {
  local how=$1 code=$2 count=$3 text=$4; shift 4
  rm -rf "$scratch/set"
  "$mneme" record -o "$scratch/set" --no-check "$@" -- "$program" "$how" >/dev/null 2>"$scratch/said.txt"
  local got=$?
  [ $got -eq "$code" ] || { cat "$scratch/said.txt"; fail "$how: exit code $got, not $code"; }
  [ "$count" = any ] || [ "$(recordings "$scratch/set")" -eq "$count" ] || { cat "$scratch/said.txt"; fail "$how: not $count recordings"; }
  grep -q -- "$text" "$scratch/said.txt" || { cat "$scratch/said.txt"; fail "$how: does not say: $text"; }
  [ "$how" = never ] || ! grep -q 'launched none' "$scratch/said.txt" || fail "$how: says that nothing was launched"
}
ends normal 0 1 'recorded 1'
for round in 1 2 3; do
  ends crash 139 1 'recorded 1'
  ends abort 134 1 'recorded 1'
  ends terminated 143 1 'recorded 1'
done
sound "$scratch/set"
ends exit 5 any 'recorded 1\|work.*: the program ended with code 5 and without running its exit handlers before it was written'
ends early 139 0 'was ended by signal 11 (.*) before it launched a recordable kernel'
ends never 0 0 'launched none of its recordable kernels$'
ends wrong 0 0 'work.*: the launch failed: invalid configuration'
ends normal 0 0 '--skip 5 passes over every launch there was of work(float\*, int)' --skip 5
ends normal 0 0 "no kernel that was launched matches 'nothing': there were work(float\*, int)" --kernel nothing
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 ends normal 0 0 'rank 3 is not among the ranks that record'
