# SPDX-License-Identifier: Apache-2.0
# MNEME_TEST_RESOURCES: tests that use a GPU ask CTest for one; without a GPU they skip, whatever the specification says.
ctest="$(dirname "$CMAKE")/ctest"
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app)
mneme_add_replay_tests(app RECORDINGS rec DEVICE cuda LABELS gpu)
mneme_add_replay_tests(app RECORDINGS auto)
mneme_add_replay_tests(app RECORDINGS rec DEVICE host KERNELS none)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
configure p b -DMNEME_TEST_RESOURCES=ON
build b
mkdir -p p/auto
cp -r "$MNEME_SOURCE/examples/saxpy/recordings" p/rec
recorded=$(basename p/rec/saxpy.*.json .json)
cp "p/rec/$recorded.json" p/auto/on_host.00000001.json
sed 's/"backend": "host"/"backend": "cuda"/' "p/rec/$recorded.json" > p/auto/on_gpu.00000002.json
echo '{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "0", "slots": 1}]}]}' > with.json
echo '{"version": {"major": 1, "minor": 0}, "local": [{"cpus": [{"id": "0", "slots": 1}]}]}' > without.json
groups() { "$ctest" --test-dir b --show-only=json-v1 | python3 -c '
import json, sys
for test in json.load(sys.stdin)["tests"]:
    if any(p["name"] == "RESOURCE_GROUPS" for p in test["properties"]): print(test["name"])' | sort | tr '\n' ' '; }
touch gpu0
export MNEME_TEST_GPU_FILES="$PWD/gpu[0-9]"
[[ "$(groups)" == "app.on_gpu.00000002 app.$recorded " ]] || fail "with a GPU these ask for it: $(groups)"
export MNEME_TEST_GPU_FILES="$PWD/none[0-9]"
[[ "$(groups)" == "" ]] || fail "without a GPU these ask for it: $(groups)"
compgen -G '/dev/nvidia[0-9]*' > /dev/null && exit 0
for specification in with.json without.json; do
  "$ctest" --test-dir b --resource-spec-file "$PWD/$specification" -L gpu > log 2>&1 || { cat log; fail "$specification: a cuda test fails"; }
  grep -q "app.$recorded .*Skipped" log || { cat log; fail "$specification: a cuda test does not skip"; }
done
