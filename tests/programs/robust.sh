# SPDX-License-Identifier: Apache-2.0
# Sourced by the robustness tests: $mneme, $program, a scratch folder that is removed at exit, and a few checks.
set -uo pipefail
mneme=$1
program=$2/many_launches
scratch=$(mktemp -d)
trap 'umount "$scratch/disk" 2>/dev/null; chmod -R u+w "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

# recordings <set>: how many are visible
recordings() { find "$1" -maxdepth 1 -name '*.*.json' 2>/dev/null | wc -l; }

# sound <set>: every visible recording is whole
sound() { "$mneme" verify-set "$1" >"$scratch/verify.txt" 2>&1 || { cat "$scratch/verify.txt"; fail "verify-set of $1"; }; }

# alone <launches>: what the program prints and exits with when nothing records
alone() { "$program" "$1" >"$scratch/alone.txt" 2>&1; echo $? >"$scratch/alone.rc"; }

# unchanged <launches> <exit code> <stdout file>: the recorded program did just what it does alone
unchanged() {
  alone "$1"
  [ "$2" -eq "$(cat "$scratch/alone.rc")" ] || fail "exit code $2, alone $(cat "$scratch/alone.rc")"
  cmp -s "$3" "$scratch/alone.txt" || { diff "$3" "$scratch/alone.txt" | head -5; fail "the program's output changed"; }
}
