# SPDX-License-Identifier: Apache-2.0
# Blanks and other odd characters in every path.
folder="a b/c's (d) & é"
project "$folder" <<'CMAKE'
add_executable(app "device code.cu")
target_include_directories(app PRIVATE "my headers")
mneme_add_recordable_kernel(app RECORDINGS "my recordings")
CMAKE
kernel "$folder/device code.cu" add
main_for add >> "$folder/device code.cu"
sed -i '1i #include "step.h"' "$folder/device code.cu"
mkdir -p "$folder/my headers" "$folder/my recordings"
echo '#define STEP 6' > "$folder/my headers/step.h"
configure "$folder" "$folder/out put"
build "$folder/out put"
holds "$folder/out put/app" add
bitcode "$folder/out put/app" add | grep -q 'fadd.* 6.0' || fail "include directory with a blank"
echo '{}' > "$folder/my recordings/add.0123abcd.json"
"$(dirname "$CMAKE")/ctest" --test-dir "$folder/out put" -N | grep -q 'app.add.0123abcd' || fail "test not found"
"$(dirname "$CMAKE")/ctest" --test-dir "$folder/out put" -N -V | grep -qF "$folder/my recordings/add.0123abcd.json" || fail "path of the recording"
sleep 1; echo '#define STEP 8' > "$folder/my headers/step.h"
build "$folder/out put"
bitcode "$folder/out put/app" add | grep -q 'fadd.* 8.0' || fail "stale after a header changed"
