# SPDX-License-Identifier: Apache-2.0
# Verdicts of real replays beyond right and wrong: what each says, its exit code, its next command.
source "$(dirname "$0")/robust.sh"
build=$2
cd "$scratch"

# verdict <exit code> <text> <arguments of mneme replay…>: replays, and looks for both
verdict() {
  local code=$1 text=$2 rc
  shift 2
  "$mneme" replay --device host "$@" >verdict.txt 2>&1
  rc=$?
  [ $rc -eq "$code" ] || { cat verdict.txt; fail "replay $*: exit $rc, not $code"; }
  grep -qF -- "$text" verdict.txt || { cat verdict.txt; fail "replay $*: does not say '$text'"; }
  [ $rc -eq 0 ] || grep -q '^  next: mneme ' verdict.txt || { cat verdict.txt; fail "replay $*: no next command"; }
}

"$mneme" record -o set -- "$build/variables" >/dev/null 2>record.txt || { cat record.txt; fail "record"; }
plain=$(echo set/plain.*.json) uses=$(echo set/uses.*.json)
verdict 0 "PASS plain" "$plain" --code "$build/variables"
verdict 0 "PASS plain" "$plain" --code "$build/variables_longer"
verdict 0 "PASS plain" "$plain" --code "$build/variables_shorter"
verdict 1 "device variable table had 32 bytes when recorded, now has 64" "$uses" --code "$build/variables_longer"
verdict 1 "now has 16" "$uses" --code "$build/variables_shorter"
verdict 2 "  next: mneme ir ls /etc/passwd " "$plain" --code /etc/passwd
verdict 4 "  next: mneme replay $plain " "$plain" --code "$build/variables_fault"
verdict 0 "2 of 2 recordings pass" set/*.json --tolerance table:rtol=0 --tolerance offset:rtol=0
verdict 2 "is named 'tabel'; there are: offset" "$plain" --tolerance tabel:rtol=0

"$mneme" show set >show.txt || fail "show"
grep -q '^threads on host *loop$' show.txt || { cat show.txt; fail "show does not say how plain's threads share a core"; }
grep -q '^threads on host *segments (2)$' show.txt || { cat show.txt; fail "show does not say how uses' threads share a core"; }

"$mneme" export --redact -o redacted.mneme set >/dev/null && "$mneme" import -o redacted redacted.mneme >/dev/null || fail "export and import"
noise=redacted/$(basename "$plain")
verdict 5 "the recording is redacted" "$noise"
grep -q "next: mneme baseline update $noise --code $build/variables " verdict.txt || { cat verdict.txt; fail "no way out of a redacted recording"; }
"$mneme" baseline update --device host "$noise" --code "$build/variables" >update.txt || { cat update.txt; fail "baseline update"; }
verdict 0 "PASS plain" "$noise" --code "$build/variables"
"$mneme" show "$noise" >show.txt
grep -q 'floating-point inputs are noise' show.txt || { cat show.txt; fail "an updated recording hides that its inputs are noise"; }

# stats_of <path>: numbers of its bitcode, or one line that says what to install
stats_of() {
  "$mneme" stats "$1" >stats.txt 2>stats_err.txt
  local rc=$?
  case $rc in
    0) grep -q '^sm_[0-9]* *llvm .*plain(float' stats.txt || { cat stats.txt; fail "stats of $1"; } ;;
    5) [ "$(wc -l <stats_err.txt)" -eq 1 ] && grep -q CUDA_HOME stats_err.txt || { cat stats_err.txt; fail "stats without an assembler"; } ;;
    *) cat stats.txt stats_err.txt; fail "stats of $1: exit $rc" ;;
  esac
}
stats_of "$build/variables"
stats_of "$plain"
echo "verdicts: as they should be"
