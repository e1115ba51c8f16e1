#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures recording and replaying 1 GiB on `host` against what plain tools do in the same run on the same machine, and
# what a launch costs that is not recorded.
#   tools/bench/host.sh <build tree of Mneme> [scratch folder]
set -euo pipefail
build=$(realpath "$1")
scratch=$(mktemp -d -p "${2:-/tmp}")
trap 'rm -rf "$scratch"' EXIT
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export Mneme_DIR=$build PATH=$build/bin:$PATH

cmake -S "$root/tools/bench/program" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
big=$scratch/build/big
now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{printf "%.3f", $1 - $2}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# 1. How long the program is stopped: it times its own launches, with and without a recording, and one memcpy.
"$big" warm >/dev/null
field() { sed -n "s/^$2 //p" "$1"; }
# What comes between the end of main and the end of the process: the writing, and giving memory back.
"$big" >"$scratch/plain.txt"
plainExit=$(since "$(field "$scratch/plain.txt" returned)")
# On a busy machine a GiB takes longer than the deadline that keeps programs from hanging.
MNEME_RECORD_DEADLINE_MS=60000 MNEME_RECORD_SKIP=1 MNEME_RECORD=$scratch/set "$big" >"$scratch/recorded.txt"
recordedExit=$(since "$(field "$scratch/recorded.txt" returned)")
memcpy=$(field "$scratch/plain.txt" memcpy)
plain=$(field "$scratch/plain.txt" launch)
stopped=$(awk -v a="$(field "$scratch/recorded.txt" launch)" -v b="$plain" 'BEGIN { printf "%.3f", a - b }')
writing=$(awk -v a="$recordedExit" -v b="$plainExit" 'BEGIN { printf "%.3f", a - b }')

# 2. What zstd does with the same bytes.
"$big" dump "$scratch/bytes"
start=$(now)
zstd -q -1 -T2 "$scratch/bytes" -o "$scratch/bytes.zst"
zstd=$(since "$start")

# 3. Replay against reading, copying and comparing.
cat "$scratch"/set/data/* "$scratch"/set/code/* >/dev/null
start=$(now)
cat "$scratch"/set/data/* "$scratch"/set/code/* >/dev/null
reading=$(since "$start")
start=$(now)
mneme replay --device host --code recorded "$scratch"/set/*.*.json | tee "$scratch/verdict.txt"
replay=$(since "$start")
floor=$(awk -v a="$reading" -v b="$memcpy" -v c="$(field "$scratch/plain.txt" memcmp)" 'BEGIN { printf "%.3f", a + b + c }')

# 4. What a launch costs that is not recorded.
launchPlain=$("$scratch/build/small")
launchIdle=$(MNEME_RECORD=$scratch/none MNEME_RECORD_KERNEL=no_such_kernel "$scratch/build/small")

cat <<END
$(date -u +%Y-%m-%d), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg)

| 1 GiB of random float on host | seconds | against | ratio | goal |
|---|---|---|---|---|
| program stopped by the recording | $stopped | one memcpy: $memcpy | $(ratio "$stopped" "$memcpy") | at most 2.5 |
| writing afterwards | $writing | zstd -1 -T2 into a file: $zstd | $(ratio "$zstd" "$writing") of its rate | at least 0.7 |
| replay, process start to verdict | $replay | cat + memcpy + memcmp: $floor | $(ratio "$replay" "$floor") | at most 3 |

| an empty launch on host | ns | goal |
|---|---|---|
| recorder off | $launchPlain | |
| recorder on, nothing selected | $launchIdle | at most 1000 more |
END
