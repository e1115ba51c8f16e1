#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci.sh SOURCE BUILD_TREE: runs the shell steps of examples/ci, as they are published, on an example: the jobs that need no GPU.
# A refactoring passes; a planted wrong answer, a planted spill and a planted register are each caught. The GPU job's steps are
# run on the host device, base against head.
set -euo pipefail
source=$1 tree=$2
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -c 'import yaml' 2>/dev/null || { echo "no PyYAML here (Debian: python3-yaml)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples/saxpy" "$work/saxpy"
cd "$work/saxpy"
export Mneme_DIR=$tree PATH=$tree/bin:$PATH LC_ALL=C GITHUB_STEP_SUMMARY=$work/summary.md GITHUB_ACTIONS=true
unset MNEME_PERF MNEME_RECORD || true
fail() { echo "FAILED: $*"; exit 1; }
steps() { "$python" "$source/tests/ci/steps.py" "$@"; }
github=$source/examples/ci/github.yml gitlab=$source/examples/ci/gitlab.yml
steps "$github" gates-without-gpu 'Build' 'Check the recordings' 'Gate' >"$work/github.sh"
steps "$gitlab" gates-without-gpu >"$work/gitlab.sh"
said() { grep -qE -- "$1" "$work/log" || { cat "$work/log"; fail "does not say: $1"; }; }
passes() { for job in github gitlab; do bash "$work/$job.sh" >"$work/log" 2>&1 || { cat "$work/log"; fail "$job: $1"; }; done; }
caught() { # WHAT PATTERN
  for job in github gitlab; do
    if bash "$work/$job.sh" >"$work/log" 2>&1; then cat "$work/log"; fail "$job: $1 passed"; fi
    said "$2"
  done
}
plant() { cp saxpy.cu "$work/original"; sed -i "$1" saxpy.cu; ! cmp -s saxpy.cu "$work/original" || fail "nothing was planted"; }
heal() { cp "$work/original" saxpy.cu; }

passes "the example as it is"
grep -q '^| saxpy\.[0-9a-f]* | verify | pass |' "$GITHUB_STEP_SUMMARY" || { cat "$GITHUB_STEP_SUMMARY"; fail "the step summary"; }
[ "$(grep -c '^### Mneme gates' "$GITHUB_STEP_SUMMARY")" = 1 ] || { cat "$GITHUB_STEP_SUMMARY"; fail "one table for all tests"; }
[ -s build/gates.xml ] && grep -q '<testsuite' gates.xml && tail -n 1 metrics.txt | grep -q '^# EOF' || fail "the reports"

plant 's/^__global__/\/\/ moved\n\n&/; s/int i = blockIdx/int element = blockIdx/; s/if (i < n) y\[i\] = a \* x\[i\] + y\[i\]/if (element < n) y[element] = a * x[element] + y[element]/'
passes "a refactoring that changes nothing"
heal
plant 's/y\[i\] = a \* x\[i\] + y\[i\]/y[i] = a * x[i] - y[i]/'
caught "a planted wrong answer" '::error title=mneme verify%3A saxpy\.'
heal

if mneme gate recordings --code build/saxpy --kinds static >"$work/log" 2>&1; then
  plant 's/  if (i < n) y\[i\]/  float kept[12];\n  for (int k = 0; k < 12; ++k) kept[k] = x[(i + 7 * k) % n];\n  for (int k = 0; k < 12; ++k) if (kept[k] * kept[(5 * k + 3) % 12] == -3.0f) y[(i + k) % n] = kept[k];\n&/'
  caught "a planted register" 'FAIL static saxpy\..*: sm_[0-9]+: registers [0-9]+, baseline [0-9]+, allowed'
  heal
  plant 's/^__global__ void/__global__ void __launch_bounds__(256, 8)/; s/  if (i < n) y\[i\]/  float kept[48];\n#pragma unroll\n  for (int k = 0; k < 48; ++k) kept[k] = x[(i + 7 * k) % n];\n  __syncthreads();\n#pragma unroll\n  for (int k = 0; k < 48; ++k) if (kept[k] * kept[(5 * k + 3) % 48] == -3.0f) y[(i + k) % n] = kept[k];\n&/'
  caught "a planted spill" 'FAIL static saxpy\..*spills [1-9][0-9]*, baseline 0, allowed 0'
  heal
else
  grep -q 'ptxas' "$work/log" || { cat "$work/log"; fail "the static gate"; }
fi

# The GPU jobs' own lines, on the host device: head against base, unchanged.
printf 'build\n' >.gitignore
git init -q . && git add -A && git -c user.name=ci -c user.email=ci@example.com commit -qm base
sed -n '/^set -/p;/^export/p' "$work/github.sh" >"$work/gpu.sh"
steps "$github" gates-on-gpu 'Build head and base' 'Gate against the base' | grep -v MNEME_REQUIRE_BACKENDS >"$work/gpu.sh"
git worktree add -q base HEAD
MNEME_DEVICE=host bash "$work/gpu.sh" >"$work/log" 2>&1 || { cat "$work/log"; fail "the GPU job's steps"; }
said 'unchanged: the machine code is that of the base/build/saxpy'
[ -s history.jsonl ] && mneme history history.jsonl >/dev/null || fail "the history"

# Jobs with a GPU must not run for forks.
"$python" - "$github" "$gitlab" <<'PYTHON' || fail "a GPU job that runs for forks"
import sys, yaml
github, gitlab = (yaml.safe_load(open(name)) for name in sys.argv[1:])
assert "head.repo.full_name == github.repository" in github["jobs"]["gates-on-gpu"]["if"]
assert "pull_request_target" not in open(sys.argv[1]).read()
assert all("==" in rule["if"] for rule in gitlab["gates-on-gpu"]["rules"])
assert "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH == $CI_PROJECT_PATH" in gitlab["gates-on-gpu"]["rules"][0]["if"]
PYTHON
