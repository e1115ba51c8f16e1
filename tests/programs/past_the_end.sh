# SPDX-License-Identifier: Apache-2.0
# One element past the end of an allocation is noticed: at recording, and at replay when a later build does it.
. "$(dirname "$0")/robust.sh"
program=$2/past_the_end
"$mneme" record -o "$scratch/bad" -- "$program" more >"$scratch/out.txt" 2>"$scratch/said.txt" || fail "the program"
[ "$(cat "$scratch/out.txt")" = ok ] || fail "the program's output changed"
grep -q 'fill(int\*, int): it writes past the end of the allocation at 0x.*, which has 400 bytes: first at offset 400' \
  "$scratch/said.txt" || { cat "$scratch/said.txt"; fail "recording does not notice the allocation"; }
grep -q 'fill_table(int): it writes past the end of variable table at 0x.*, which has 20 bytes: first at offset 20' \
  "$scratch/said.txt" || { cat "$scratch/said.txt"; fail "recording does not notice the variable"; }
[ "$(recordings "$scratch/bad")" -eq 0 ] || fail "it was recorded"

"$mneme" record -o "$scratch/good" --kernel 'fill\(' -- "$program" 2>/dev/null || fail "the program"
"$mneme" replay "$scratch"/good/fill.*.json --code "$program" >/dev/null || fail "the good one fails"
"$mneme" replay "$scratch"/good/fill.*.json --code "$2/past_the_end_later" >"$scratch/replay.txt" 2>&1 && fail "replay does not notice"
grep -q 'the kernel wrote past the end of the memory at 0x.*, which has 400 bytes: first at offset 400' "$scratch/replay.txt" ||
  { cat "$scratch/replay.txt"; fail "replay does not say so"; }
