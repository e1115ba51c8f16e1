# SPDX-License-Identifier: Apache-2.0
# A set that cannot be written to. `mneme record` sees that before it starts the program, and refuses: 125. A program that
# records by itself runs as alone, and one line says what is wrong.
source "$(dirname "$0")/robust.sh"
echo "a file where the set should be" >"$scratch/set"
for set in "$scratch/set" "$scratch/set/below" /proc/nowhere; do
  "$mneme" record -o "$set" --no-check -- "$program" 4 >"$scratch/out.txt" 2>"$scratch/err.txt"
  [ $? -eq 125 ] || fail "a set that cannot be written is not 125"
  [ ! -s "$scratch/out.txt" ] || fail "the program ran"
  [ "$(wc -l <"$scratch/err.txt")" -eq 1 ] || { cat "$scratch/err.txt"; fail "not one line"; }
done
MNEME_RECORD=$scratch/set "$program" 4 >"$scratch/out.txt" 2>"$scratch/err.txt"
unchanged 4 $? "$scratch/out.txt"
grep -q "$scratch/set" "$scratch/err.txt" || { cat "$scratch/err.txt"; fail "the message does not name the directory"; }
[ "$(wc -l <"$scratch/err.txt")" -eq 1 ] || { cat "$scratch/err.txt"; fail "said more than one line"; }
MNEME_RECORD=/proc/nowhere "$program" 4 >"$scratch/out.txt" 2>"$scratch/err.txt"
unchanged 4 $? "$scratch/out.txt"
grep -q "/proc/nowhere" "$scratch/err.txt" || { cat "$scratch/err.txt"; fail "the message does not name the directory"; }
"$mneme" record -o "$scratch/other" -- /nowhere/program >/dev/null 2>&1
[ $? -eq 127 ] || fail "a missing program is not 127"
"$mneme" record -o "$scratch/other" -- /etc/passwd >/dev/null 2>&1
[ $? -eq 126 ] || fail "a program that cannot run is not 126"
echo "unwritable sets: the program is left alone"
