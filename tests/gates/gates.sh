#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gates.sh PROJECT BUILD_TREE: gates of a small project on the host device, through CTest and through the target mneme-gate:
# unchanged code passes unmeasured; a planted slowdown, a planted wrong answer and a planted register are each caught.
set -euo pipefail
project=$1 tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$project" "$work/source"
cd "$work"
export Mneme_DIR=$tree PATH=$tree/bin:$PATH LC_ALL=C
unset MNEME_PERF MNEME_RECORD GITHUB_ACTIONS GITHUB_STEP_SUMMARY || true
fail() { echo "FAILED: $*"; exit 1; }
said() { grep -qE -- "$1" "$2" || { cat "$2"; fail "does not say: $1"; }; }
build() { cmake --build build >build.txt 2>&1 || { cat build.txt; fail "the build"; }; }
gate() { MNEME_PERF=1 ctest --test-dir build -L '^mneme-gate$' --output-on-failure --no-tests=error "$@" >gate.txt 2>&1; }
plant() { cp source/app.cu original; sed -i "$1" source/app.cu; ! cmp -s original source/app.cu || fail "nothing was planted: $1"; build; }
heal() { cp original source/app.cu; build; }

cmake -S source -B build -G Ninja -DCMAKE_BUILD_TYPE=Release >configure.txt 2>&1 || { cat configure.txt; fail "the configuration"; }
build
ctest --test-dir build -N >list.txt
said 'app\.no-gates' list.txt
mkdir source/many
mneme record --require -o source/recordings -- build/app >record.txt 2>&1 || { cat record.txt; fail "recording"; }

# What there is, without and with MNEME_PERF.
ctest --test-dir build -N -L mneme-gate -R '^app\.' >list.txt
said 'app\.perf-gates$' list.txt
[ "$(grep -c 'Test *#' list.txt)" = 5 ] || { cat list.txt; fail "two recordings are not two verify, two static, one skipped perf test"; }
MNEME_PERF=1 ctest --test-dir build -N >list.txt
for kernel in blend polynomial; do
  for kind in verify perf static; do said "app\\.$kernel\\.[0-9a-f]{8}\\.$kind\$" list.txt; done
done
for label in mneme mneme-gate mneme-gate-perf nightly; do
  [ "$(MNEME_PERF=1 ctest --test-dir build -N -L "^$label\$" | grep -c '\.perf$')" = 2 ] || fail "label $label"
done
ctest --test-dir build -V -R 'app\.perf-gates' >skipped.txt 2>&1 || { cat skipped.txt; fail "a plain ctest fails for want of MNEME_PERF"; }
said 'only with MNEME_PERF=1.*mneme-gate' skipped.txt
said 'Skipped' skipped.txt

# Of more recordings than the budget allows some are taken, and it is said; two calls do not get in each other's way.
for n in 1 2 3 4 5; do touch "source/many/k.0000000$n.json"; done
ctest --test-dir build -N -L mneme-gate >list.txt
said 'busy\.perf-gates$' list.txt
said 'busy\.no-gates-2$' list.txt
MNEME_PERF=1 ctest --test-dir build -N -L mneme-gate-perf >list.txt
taken=$(grep -cE 'busy\.k\..*\.perf$' list.txt)
[ "$taken" = 1 ] || [ "$taken" = 2 ] || { cat list.txt; fail "$taken of five recordings within a budget for two"; }
said 'busy\.perf-gates-left-out$' list.txt
[ "$(MNEME_PERF=all ctest --test-dir build -N | grep -cE 'busy\.k\..*\.perf$')" = 5 ] || fail "MNEME_PERF=all does not take all"
rm -r source/many

# The same code, and code that only moved: nothing is measured.
cmake --build build --target mneme-gate >gate.txt 2>&1 || { cat gate.txt; fail "gates of unchanged code"; }
plant 's/^__global__ void polynomial/\/\/ one\n\/\/ more\n\n&/; s/  float x = in\[i\];/  float value = in[i];/; s/x = x \* 0.99f + 0.01f/value = value * 0.99f + 0.01f/; s/out\[i\] = x/out[i] = value/'
gate -V || { cat gate.txt; fail "a refactoring that changes nothing"; }
[ "$(grep -c 'unchanged: the machine code' gate.txt)" = 2 ] || { cat gate.txt; fail "not told that the code is unchanged"; }
heal

# Twice the work: slower, confirmed on fresh pairs, and no other kernel is blamed. Exit code 1 of the command itself.
plant 's/step < 200; ++step) x = x \* 0.99f + 0.01f;/step < 200; ++step) x = x * 0.99f + 0.01f; float y = x; for (int step = 0; step < 600; ++step) y = y * 0.98f + 0.03f; if (y == 12345.0f) x = y;/'
gate && { cat gate.txt; fail "a planted slowdown passed"; }
said 'FAIL perf polynomial\.[0-9a-f]{8}: REGRESSION .* times the baseline' gate.txt
said '16 process pairs|2[0-9] process pairs' gate.txt
grep -qE 'FAIL (perf|verify|static) blend' gate.txt && { cat gate.txt; fail "another kernel is blamed"; }
code=0
mneme gate source/recordings/polynomial.*.json --code build/app --kinds perf --device host --json >result.json || code=$?
[ $code = 1 ] || fail "exit code $code, not 1, after a regression"
python3 -c '
import json
result = json.load(open("result.json"))[0]
assert result["verdict"] == "regression" and result["measured_again"] and result["ratio"] > 1.3, result
assert len(result["baseline_samples"]) == result["pairs"] == len(result["candidate_samples"]) >= 16, result' || fail "the numbers"
heal

# A wrong answer fails verify, and is not timed.
plant 's/0.75f/0.74f/'
gate && { cat gate.txt; fail "a planted wrong answer passed"; }
said 'FAIL verify blend' gate.txt
said 'FAIL perf blend.*wrong answer' gate.txt
heal

# Another baseline: that binary's code, not the recording's.
cp build/app baseline-app
plant 's/0.99f/0.98f/'
mneme gate source/recordings/blend.*.json --code build/app --baseline baseline-app --kinds perf --device host >other.txt || { cat other.txt; fail "an unchanged kernel against another build"; }
said 'unchanged: the machine code is that of the baseline-app' other.txt
heal

# Stored times: of this machine they decide, of another they are refused by name, and a missing one is said.
recording=$(ls source/recordings/blend.*.json)
stored() { code=0; mneme gate "$recording" --code build/app --kinds perf --device host --max-slowdown 50 "$@" >times.txt || code=$?; }
stored --save-times times.json
[ $code = 0 ] && [ -s times.json ] || { cat times.txt; fail "times are not saved"; }
stored --baseline times.json
[ $code = 0 ] || { cat times.txt; fail "exit code $code against own times"; }
said '(PASS|IMPROVEMENT).* times the baseline' times.txt
sed 's/"device": "host/"device": "another host/' times.json >foreign.json
stored --baseline foreign.json
[ $code = 5 ] || { cat times.txt; fail "exit code $code against a foreign baseline"; }
said 'UNDECIDED perf .*another device: another host' times.txt
stored --baseline foreign.json --undecided skip
[ $code = 77 ] || fail "exit code $code where undecided is a skip"
stored --baseline foreign.json --undecided pass
[ $code = 0 ] || fail "exit code $code where undecided passes"
stored --baseline none.json
[ $code = 5 ] || { cat times.txt; fail "exit code $code without a baseline"; }
said 'next: mneme gate .* --save-times' times.txt

# More registers, where something here assembles.
if mneme gate source/recordings/*.*.json --code build/app --kinds static >static.txt; then
  plant 's/  if (i < count) out\[i\] = 0.25f/  if (i >= count) return;\n  float sum[24];\n  for (int k = 0; k < 24; ++k) sum[k] = a[(i + 7 * k) % count];\n  for (int k = 0; k < 24; ++k) if (sum[k] * sum[(k * 5 + 3) % 24] == -3.0f) out[(i + k) % count] = sum[k];\n  out[i] = 0.25f/'
  code=0
  mneme gate source/recordings/*.*.json --code build/app --kinds static >static.txt || code=$?
  [ $code = 1 ] || { cat static.txt; fail "planted registers: exit code $code"; }
  said 'FAIL static blend.*: sm_[0-9]+: registers [0-9]+, baseline [0-9]+, allowed' static.txt
  heal
else
  said 'SKIP static .*ptxas' static.txt
fi

# A debug build is not what ships.
cmake -S source -B build -DCMAKE_BUILD_TYPE=Debug >configure.txt 2>&1
build
gate -V || { cat gate.txt; fail "gates of a debug build"; }
[ "$(grep -c 'SKIP perf .*Debug build' gate.txt)" = 2 ] || { cat gate.txt; fail "a debug build was measured"; }
