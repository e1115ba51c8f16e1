# SPDX-License-Identifier: Apache-2.0
# Recordings are found when ctest runs, by name alone and quickly.
ctest="$(dirname "$CMAKE")/ctest"
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDINGS rec LABELS nightly slow TIMEOUT 100 DEVICE host TOLERANCE atol=1e-3 y:rtol=1e-5)
mneme_add_replay_tests(app RECORDINGS ${CMAKE_CURRENT_SOURCE_DIR}/other KERNELS "^mul$")
add_library(lib STATIC lib.cu)
mneme_add_recordable_kernel(lib RECORDINGS lib_rec CODE app)
add_subdirectory(sub)
CMAKE
mkdir -p p/sub p/other p/rec
kernel p/app.cu add
main_for add >> p/app.cu
kernel p/lib.cu lib
kernel p/sub/sub.cu sub
main_for sub >> p/sub/sub.cu
echo 'mneme_add_recordable_kernel(sub SOURCES sub.cu RECORDINGS rec)' > p/sub/CMakeLists.txt
configure p b
build b
for test in app lib sub; do "$ctest" --test-dir b -N | grep -q "$test.no-recordings" || fail "no $test.no-recordings"; done
"$ctest" --test-dir b -V -R '^app.no-rec' > log 2>&1 || fail "an empty set fails"
grep -q 'Skipped' log && grep -q "record -o .*/p/rec' -- .*/b/app" log || { cat log; fail "no hint how to record"; }
echo '{"format": {"major": 1, "minor": 0}}' > p/rec/set.json
touch p/rec/{tolerance,add.00000001,add.00000002}.json p/other/{mul.0000000a,add.0000000b}.json
"$ctest" --test-dir b -N > log
for test in app.add.00000001 app.add.00000002 app.mul.0000000a; do grep -q ": $test\$" log || { cat log; fail "no $test"; }; done
for test in app.set app.tolerance app.add.0000000b app.no-recordings; do ! grep -q ": $test\$" log || fail "$test"; done
[[ $("$ctest" --test-dir b -N -L mneme-replay | grep -c 'app.add') == 2 ]] || fail "label mneme-replay"
[[ $("$ctest" --test-dir b -N -L nightly | grep -c 'Test *#') == 2 ]] || fail "label nightly"
"$ctest" --test-dir b --show-only=json-v1 > tests.json
python3 - <<'PYTHON' || fail "properties"
import json
test = next(t for t in json.load(open("tests.json"))["tests"] if t["name"] == "app.add.00000001")
properties = {p["name"]: p["value"] for p in test["properties"]}
assert properties["LABELS"] == ["mneme", "mneme-replay", "nightly", "slow"], properties
assert properties["SKIP_RETURN_CODE"] == 77 and properties["TIMEOUT"] > 100, properties
command = test["command"]
assert command[1] == "replay" and command[2].endswith("/p/rec/add.00000001.json"), command
for option, value in {"--device": "host", "--timeout": "100", "--tolerance": "atol=1e-3"}.items():
    assert command[command.index(option) + 1] == value, command
assert "y:rtol=1e-5" in command and command[command.index("--code") + 1].endswith("/b/app"), command
PYTHON
if "$mneme" --help | grep -q '^ *replay '; then
  "$ctest" --test-dir b --output-on-failure -R '^app.add.00000001' > log 2>&1 && fail "a broken recording passes"
  grep -q 'add.00000001.json' log || { cat log; fail "the broken recording is not named"; }
fi
for i in $(seq -w 300); do touch p/rec/many.00000$i.json; done
"$ctest" --test-dir b -N > /dev/null
# CPU time: what ctest itself needs, however busy the machine is.
spent=$( { TIMEFORMAT='%U %S'; time "$ctest" --test-dir b -N > listed.txt; } 2>&1 )
tail -1 listed.txt
awk -v spent="$spent" 'BEGIN { split(spent, s, " "); exit !(s[1] + s[2] < 1) }' || fail "300 recordings take $spent s of CPU time"
