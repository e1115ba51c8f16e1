# SPDX-License-Identifier: Apache-2.0
# find_package from the build tree, by prefix path and by Mneme_DIR.
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
MNEME_PREFIX="$MNEME_BUILD" configure p b
build b
holds b/app add
b/app || fail "app"
MNEME_PREFIX=/nowhere configure p c "-DMneme_DIR=$MNEME_BUILD"
