# SPDX-License-Identifier: Apache-2.0
# Kills a recording program at 200 random moments. What was recorded before stays whole, and so does what became visible.
source "$(dirname "$0")/robust.sh"
set=$scratch/set
"$mneme" record -o "$set" --no-check -- "$program" 3 >/dev/null 2>&1
kept=$(cd "$set" && sha256sum ./*.*.json)
RANDOM=20261201
seen=0
for round in $(seq 200); do
  other=$scratch/other
  rm -rf "$other" && cp -r "$set" "$other"
  MNEME_RECORD=$other MNEME_RECORD_SKIP=1 MNEME_RECORD_MAX=40 "$program" 42 >/dev/null 2>&1 &
  sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  (cd "$other" && sha256sum --quiet --check <<<"$kept") >/dev/null 2>&1 || fail "round $round: an earlier recording changed"
  sound "$other"
  seen=$((seen + $(recordings "$other") - $(recordings "$set")))
done
echo "200 kills, $seen further recordings became visible, all whole"
[ "$seen" -gt 0 ] || fail "no kill came after a recording: the test tested nothing"
