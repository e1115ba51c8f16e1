#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which share of device code the CPU device can run: every kernel of every bitcode file of a folder is compiled for it.
#   tools/host-coverage.sh FOLDER MNEME
# FOLDER holds *.bc files of NVPTX modules (`mneme ir extract`, clang --cuda-device-only -emit-llvm), searched recursively.
# Prints a table: modules and kernels that have all they need, and the reasons against the others, the most frequent first.
set -uo pipefail
[ $# -eq 2 ] && [ -d "$1" ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
folder=$1
hostcc=$(dirname "$(realpath "$2")")/../libexec/mneme/mneme-hostcc
dis=$(command -v llvm-dis-22 || echo /usr/lib/llvm-22/bin/llvm-dis)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "$hostcc" ] && [ -x "$dis" ] || { echo "needs $hostcc and llvm-dis of LLVM 22" >&2; exit 2; }
modules=0 whole=0 kernels=0 good=0
: >"$work/reasons"

# Entries are marked by their calling convention, or by an annotation in older modules.
entries() {
  "$dis" "$1" -o - 2>/dev/null |
    sed -nE 's/^define .*ptx_kernel .*@"?([^"(]+)"?\(.*/\1/p; s/^!.*ptr @"?([^",]+)"?, !"kernel", i32 1.*/\1/p' | sort -u
}

# A kernel's reason without the names that only it has, so that equal ones count together.
reason() { sed -E "s/^.*kernel [^ ]+: //; s/ on the host device.*//; s/ is not supported.*//; s/_Z[A-Za-z0-9_]+/…/g" | head -n 1; }

while IFS= read -r file; do
  found=0 failed=0
  while IFS= read -r kernel; do
    found=$((found + 1))
    if "$hostcc" "$file" "$work/object.so" "$kernel" >/dev/null 2>"$work/why"; then
      good=$((good + 1))
    else
      failed=$((failed + 1))
      reason <"$work/why" >>"$work/reasons"
    fi
  done < <(entries "$file")
  [ "$found" -gt 0 ] || continue
  modules=$((modules + 1)) kernels=$((kernels + found))
  [ "$failed" -eq 0 ] && whole=$((whole + 1))
done < <(find "$folder" -name '*.bc' | sort)

[ "$modules" -gt 0 ] || { echo "$folder has no bitcode file with a kernel" >&2; exit 1; }
echo "| | all | with everything they need | share |"
echo "|---|---|---|---|"
echo "| modules | $modules | $whole | $((100 * whole / modules)) % |"
echo "| kernels | $kernels | $good | $((100 * good / kernels)) % |"
[ -s "$work/reasons" ] || exit 0
printf '\n| kernels | what they need and have not |\n|---|---|\n'
sort "$work/reasons" | uniq -c | sort -rn | sed -E 's/\|/\\|/g; s/^ *([0-9]+) (.*)/| \1 | \2 |/'
