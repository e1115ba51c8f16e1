#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# trials.sh <build tree> <recording set>: tunes saxpy on the host device. Wrong answers and launches that cannot be are lost
# trials with a reason; a run goes on from what is stored; nothing new leaves tuned.json as it is; a dead worker is replaced.
set -euo pipefail
build=$1 set=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$set" "$work/recordings"
cd "$work"
export PATH=$build/bin:$PATH MNEME_CACHE_DIR=$work/cache
fail() { echo "FAILED: $*"; cat out.txt err.txt 2>/dev/null; exit 1; }
tune() { mneme tune recordings --device host "$@" >out.txt 2>err.txt; }
has() { grep -qE "$1" "$2" || fail "no '$1' in $2"; }

# Of these only the recorded 256 and what covers as many threads are right; 2048 threads are no block.
cat >space.json <<'END'
{"mneme_space": 1, "parameters": {"x": [64, 128, 256, 512, 2048]}, "shape": {"rule": "keep_grid", "block": ["x"]}}
END
tune --space space.json --strategy exhaustive --budget 10 --json || fail "the first tuning"
has '"evaluations": 5' out.txt
has '"wrong": 2' out.txt
has '"invalid": 1' out.txt
has '"written": true' out.txt
# The recorded 256 is the default by another name: it runs the same code, so it is no finding.
has '"configuration": ' out.txt
grep -q '"x": 256' out.txt && fail "the default's own code was found to be faster than it"
[ "$(grep -o '"code":"[0-9a-f]*"' "$(echo recordings/tuning/saxpy.*.jsonl)" | sort | uniq -c | sort -rn | awk '{print $1; exit}')" = 2 ] ||
  fail "the recorded shape is not known as the default's own"
store=$(echo recordings/tuning/saxpy.*.jsonl)
has '"failure":"wrong","reason":"[0-9]+ elements differ' "$store"
has '2048 threads in a block' "$store"
[ "$(wc -l <"$store")" = 6 ] || fail "the store has not the default and five trials"
cp tuned.json first.json

# The same again finds everything known, also behind a line that a crash cut off.
printf '{"context": "cut o' >>"$store"
tune --space space.json --strategy exhaustive --budget 10 --json || fail "the second tuning"
has '"new_trials": 0' out.txt
cmp tuned.json first.json || fail "the second tuning changed tuned.json"

# What was tried can be looked at, and as T4 it is a space that strategies can be tried on.
mneme results recordings >out.txt || fail "results"
has 'saxpy.[0-9a-f]+: 6 trials, 3 failed' out.txt
has ' wrong  x=(64|128)  \([0-9]+ elements differ' out.txt
mneme results recordings --format csv >out.txt || fail "results as CSV"
has '^recording,at,device,time_ns,failure,reason,x$' out.txt
[ "$(wc -l <out.txt)" = 7 ] || fail "the CSV has not a line a trial"
mneme results recordings --json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)[0]["trials"]) == 6' || fail "results as JSON"
mneme results recordings/saxpy.*.json --format t4 >t4.json || fail "results as T4"
mneme tune --simulate t4.json --strategy exhaustive --budget 9 --json >out.txt || fail "T4 as a space"
has '"evaluations": 5' out.txt

# And read as a page, in which nothing is fetched and no text of a kernel or a compiler becomes markup.
sed -i 's/elements differ/<b>elements<\/b> differ/' "$store"
mneme report recordings -o page.html >out.txt || fail "the report"
for part in 'saxpy\(int, float' '2048 threads in a block' '&lt;b&gt;elements' '<svg' 'prefers-color-scheme: dark'; do has "$part" page.html; done
grep -qE '<b>|https?://|<script' page.html && fail "the page has foreign markup or fetches something"
sed -i 's/<b>elements<\/b> differ/elements differ/' "$store"

# A derived space needs no file. Its workers die after five trials each: every time one trial is lost, not the run.
cat >dies.sh <<'END'
#!/bin/sh
for i in 1 2 3 4 5; do read -r line || break; printf '%s\n' "$line"; done | "$@"
END
chmod +x dies.sh
tune --budget 13 --launcher "'$work/dies.sh'" --json || fail "with workers that die"
has '"evaluations": 13' out.txt
has '"crash": [23]' out.txt
has 'the worker died of' "$store"

# Ctrl-C ends after the trial under way; the next run knows what was tried.
cat >slow.sh <<'END'
#!/bin/sh
while read -r line; do sleep 0.2; printf '%s\n' "$line"; done | "$@"
END
chmod +x slow.sh
sed 's/2048/2048, 96, 160, 192, 224, 288, 320/' space.json >longer.json
rm err.txt
mneme tune recordings --device host --space longer.json --strategy exhaustive --budget 60s --launcher "$work/slow.sh" >out.txt 2>err.txt &
tuning=$!
until grep -q 'trial 1' err.txt 2>/dev/null; do sleep 0.1; done
kill -INT $tuning
code=0
wait $tuning || code=$?
[ $code = 5 ] || fail "an interrupted tuning exits with $code"
has 'STOPPED saxpy.[0-9a-f]+ after [1-9] trials?; the next run goes on from here' out.txt
tune --space longer.json --strategy exhaustive --budget 60s || fail "the run after the interrupted one"
has 'resuming: [1-9] trials? known' err.txt
has '  11 trials' out.txt

# A launcher that starts nothing is named, and so is a set that has nothing.
tune --budget 5 --launcher false && fail "a launcher that starts nothing"
has 'the worker ended with exit code 1; it was started by: false' out.txt
mkdir empty && cp recordings/set.json empty/
mneme tune empty >out.txt 2>err.txt && fail "an empty set"
has 'holds no recording' err.txt
# A recording that is missing or damaged cannot be read, as for every command.
code=0
mneme tune nope.json --device host --budget 2 >out.txt 2>err.txt || code=$?
[ $code = 3 ] || fail "a missing recording exits with $code"
cp -r "$set" damaged
for pack in damaged/data/*; do
  python3 - "$pack" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(len(data) // 4, len(data) * 3 // 4): data[at] ^= 0x55
open(sys.argv[1], "wb").write(data)
END
done
code=0
mneme tune damaged --device host --budget 2 >out.txt 2>err.txt || code=$?
[ $code = 3 ] || fail "a damaged pack exits with $code"
has 'damaged' out.txt
# Wrong budgets and spaces are named.
tune --budget 10m && fail "a wrong budget"
has 'a number of evaluations \(200\) or of seconds \(60s\)' err.txt
echo '{"mneme_space": 1, "parameters": {"x": []}}' >bad.json
tune --space bad.json && fail "a wrong space"
has 'bad.json:1: parameters.x: no values' out.txt
