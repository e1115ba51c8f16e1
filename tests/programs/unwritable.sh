# SPDX-License-Identifier: Apache-2.0
# A set that cannot be written to: the program runs as alone, and one line says what is wrong.
source "$(dirname "$0")/robust.sh"
echo "a file where the set should be" >"$scratch/set"
"$mneme" record -o "$scratch/set" --no-check -- "$program" 4 >"$scratch/out.txt" 2>"$scratch/err.txt"
unchanged 4 $? "$scratch/out.txt"
grep -q "$scratch/set" "$scratch/err.txt" || { cat "$scratch/err.txt"; fail "the message does not name the directory"; }
MNEME_RECORD=/proc/nowhere "$program" 4 >"$scratch/out.txt" 2>"$scratch/err.txt"
unchanged 4 $? "$scratch/out.txt"
grep -q "/proc/nowhere" "$scratch/err.txt" || { cat "$scratch/err.txt"; fail "the message does not name the directory"; }
"$mneme" record -o /proc/nowhere --require --no-check -- "$program" 4 >/dev/null 2>&1
[ $? -eq 125 ] || fail "--require did not answer 125"
"$mneme" record -o "$scratch/other" -- /nowhere/program >/dev/null 2>&1
[ $? -eq 127 ] || fail "a missing program is not 127"
"$mneme" record -o "$scratch/other" -- /etc/passwd >/dev/null 2>&1
[ $? -eq 126 ] || fail "a program that cannot run is not 126"
echo "unwritable sets: the program is left alone"
