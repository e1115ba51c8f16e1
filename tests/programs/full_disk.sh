# SPDX-License-Identifier: Apache-2.0
# Records onto a disk that fills up. The program runs on as alone, earlier recordings stay, one line says why.
source "$(dirname "$0")/robust.sh"
mkdir "$scratch/disk"
mount -t tmpfs -o size=2m tmpfs "$scratch/disk" 2>/dev/null || { echo "cannot mount a tmpfs here: skipped"; exit 77; }
set=$scratch/disk/set
"$mneme" record -o "$set" --no-check --max 1 -- "$program" 1 >/dev/null 2>&1
[ "$(recordings "$set")" -eq 1 ] || fail "the first recording did not fit"
kept=$(cd "$set" && sha256sum ./*.*.json)
"$mneme" record -o "$set" --no-check --skip 1 --max 50 -- "$program" 51 >"$scratch/out.txt" 2>"$scratch/err.txt"
unchanged 51 $? "$scratch/out.txt"
grep -qi "no space left" "$scratch/err.txt" || { cat "$scratch/err.txt"; fail "nobody said that the disk is full"; }
[ "$(grep -ci "no space left" "$scratch/err.txt")" -eq 1 ] || fail "said more than once"
(cd "$set" && sha256sum --quiet --check <<<"$kept") || fail "an earlier recording changed"
sound "$set"
echo "full disk: $(recordings "$set") recordings, all whole"
