# SPDX-License-Identifier: Apache-2.0
# Two processes record into one directory at once, as two ranks and as one rank.
source "$(dirname "$0")/robust.sh"
set=$scratch/set
export MNEME_RECORD_DEADLINE_MS=60000  # on a busy machine a launch may be given up, said so: that is not what is asked here
for round in 1 2 3; do
  for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank MNEME_RECORD=$set MNEME_RECORD_RANKS=all MNEME_RECORD_MAX=20 "$program" 20 >/dev/null 2>&1 &
  done
  wait
  [ "$(recordings "$set")" -eq 40 ] || fail "two ranks: $(recordings "$set") recordings instead of 40"
  sound "$set"
done
for round in 1 2 3; do
  for process in 0 1; do MNEME_RECORD=$scratch/same MNEME_RECORD_MAX=20 "$program" 20 >/dev/null 2>&1 & done
  wait
  [ "$(recordings "$scratch/same")" -eq 20 ] || fail "one rank twice: $(recordings "$scratch/same") instead of 20"
  sound "$scratch/same"
done
"$mneme" gc "$set" >/dev/null || fail "gc"
sound "$set"
echo "two processes at once: nothing lost"
