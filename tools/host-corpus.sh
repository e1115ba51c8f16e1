#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds CUDA programs that nobody here wrote with the stand-in for nvcc, unmodified and by their own makefiles, runs
# them, records the first launch of every kernel and replays it, on this machine's CPU.
#   tools/host-corpus.sh [--write] HECBENCH MNEME [NAME...]
# HECBENCH is a git repository of zjin-lcf/HeCBench, bare or not; the programs and their arguments are in
# tools/host-corpus.list. --write puts the table into docs/validation.md. WORK (default: a new folder) keeps the sources, the
# logs and rows.md: programs that have a row there are not tried again. LIMIT (default 240): seconds a program may run.
set -uo pipefail
here=$(dirname "$(realpath "$0")") write=false
[ "${1:-}" = --write ] && { write=true; shift; }
[ $# -ge 2 ] || { sed -n '3,10s/^# //p' "$0" >&2; exit 2; }
repository=$1 mneme=$(realpath "$2") list=$here/host-corpus.list
shift 2
wanted=" $* "
work=${WORK:-$(mktemp -d)} limit=${LIMIT:-240}
nvcc=$("$mneme" host-toolchain) || exit 2
mkdir -p "$work/logs"
rows=$work/rows.md
touch "$rows"

field() { cut -d'|' -f"$2" <<<"$1" | sed 's/^ *//; s/ *$//'; }

# Only what the programs of the list are made of; some take headers or data from a neighbour.
unpack() {
  local name folders=(src/include src/data)
  while read -r line; do
    name=$(field "$line" 1)
    folders+=("src/$name-cuda")
    git -C "$repository" cat-file -e "HEAD:src/$name-sycl" 2>/dev/null && folders+=("src/$name-sycl")
  done < <(programs)
  git -C "$repository" archive HEAD "${folders[@]}" 2>/dev/null | tar -x -C "$work"
}

programs() {
  while read -r line; do
    [ "$wanted" = "  " ] || [[ $wanted == *" $(field "$line" 1) "* ]] && echo "$line"
  done < <(grep -v '^#' "$list")
}

# The first line that says why: a compiler's or make's.
why_not_built() {
  grep -m1 -E 'error:|No such file|cannot find|Error [0-9]' "$1" | sed -E 's/^.*(fatal )?error: //; s/^.*: (cannot find)/\1/' | cut -c1-90
}

# The program's file: what its own `make run` starts.
executable() {
  make -n CC="$nvcc" NVCC="$nvcc" run 2>/dev/null | grep -oE '(^|[[:space:]])\./[A-Za-z0-9_./-]+' | tail -n 1 | tr -d '[:space:]'
}

content() {
  local output=$1 says=$2 times=$3
  grep -qE 'FAIL|ERROR|[Mm]ismatch|dismatch|[Ii]ncorrect|Waiving' "$output" && return 1
  [ -z "$says" ] || [ "$(grep -cE "$says" "$output")" -ge "$times" ]
}

row() { echo "| $1 | $2 | $3 | $4 | $5 | $6 | $7 |" | tee -a "$rows"; }

one() {
  local line=$1 name arguments says times log program status ran counts
  name=$(field "$line" 1) arguments=$(field "$line" 2) says=$(field "$line" 3) times=$(field "$line" 4)
  log=$work/logs/$name
  cd "$work/src/$name-cuda" 2>/dev/null || { row "$name" no - - - - "not in this repository"; return; }
  make clean >/dev/null 2>&1
  make CC="$nvcc" NVCC="$nvcc" ARCH=sm_90 >"$log.build" 2>&1 </dev/null
  program=$(executable)
  [ -n "$program" ] && [ -x "$program" ] || { row "$name" no - - - - "$(why_not_built "$log.build")"; return; }
  # shellcheck disable=SC2086
  timeout "$limit" "$program" $arguments >"$log.out" 2>&1 </dev/null
  status=$?
  ran=yes
  [ $status -eq 124 ] && { row "$name" yes "no: over $limit s" - - - ""; return; }
  [ $status -eq 0 ] || ran="no: exit $status"
  [ $status -eq 0 ] && ! content "$log.out" "$says" "$times" && ran="no: its own check"
  replayed "$name" "$log" "$ran" "$program" "$arguments"
}

# Records the first launch of every kernel and replays what was recorded.
replayed() {
  local name=$1 log=$2 ran=$3 program=$4 arguments=$5 recordings pass fail refused reason
  rm -rf "$work/set"
  # shellcheck disable=SC2086
  timeout $((3 * limit)) "$mneme" record --max 1 --no-check -o "$work/set" -- "$program" $arguments >"$log.record" 2>&1 </dev/null
  mapfile -t recordings < <(find "$work/set" -maxdepth 1 -name '*.*.json' 2>/dev/null)
  : >"$log.replay"
  [ ${#recordings[@]} -eq 0 ] ||
    timeout $((3 * limit)) "$mneme" replay --device host --timeout "$limit" "${recordings[@]}" >"$log.replay" 2>&1
  pass=$(grep -c '^PASS' "$log.replay") fail=$(grep -cE '^(FAIL|ERROR)' "$log.replay")
  refused=$(grep -c 'not recorded:' "$log.record")
  reason=$( (grep -h 'not recorded:' "$log.record" | sed 's/.*not recorded: //'; grep -hE '^(FAIL|ERROR)' "$log.replay" | sed -E 's/^(FAIL|ERROR) ([^ ]+).*\): ?/\2 /') | sort | uniq -c |
    sort -rn | head -n 1 | sed -E 's/^ *[0-9]+ //; s/\|/,/g' | cut -c1-110)
  row "$name" yes "$ran" "${#recordings[@]}" "$pass" "$refused" "$( [ "$fail" -gt 0 ] && echo "$fail not the same: ")$reason"
  rm -rf "$work/set"
}

sum() { awk -F'|' -v at="$1" '{ n += $at } END { print n + 0 }' "$rows"; }
count() { awk -F'|' -v at="$1" -v want="$2" '$at ~ want { ++n } END { print n + 0 }' "$rows"; }

report() {
  cat <<END
$(date +%F), HeCBench $(git -C "$repository" rev-parse --short=8 HEAD), $(nproc) cores, at most $limit s a run; \`tools/host-corpus.list\` has the draw and the arguments.

| of programs | $(wc -l <"$rows") |
|---|---|
| built, unmodified | $(count 3 yes) |
| ran to their own success message | $(count 4 '^ yes') |
| first launches recorded | $(sum 5) |
| of these replayed bit-exactly | $(sum 6) |
| kernels refused by name | $(sum 7) |

| program | builds | content with its answer | recorded | bit-exact | refused | why not |
|---|---|---|---|---|---|---|
$(sort -f "$rows")
END
}

unpack
while read -r line; do
  grep -q "^| $(field "$line" 1) |" "$rows" || (one "$line")
done < <(programs)
report >"$work/report.md"
cat "$work/report.md"
if $write; then python3 "$here/host-corpus-table.py" "$work/report.md" "$here/../docs/validation.md"; fi
