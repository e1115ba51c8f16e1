# SPDX-License-Identifier: Apache-2.0
# CPack's .tar.xz and .deb; a program is built against the unpacked .deb.
command -v dpkg-deb > /dev/null || { echo "no dpkg-deb"; exit 77; }
"$(dirname "$CMAKE")/cpack" --config "$MNEME_BUILD/CPackConfig.cmake" -B "$PWD/out" > log 2>&1 || { cat log; fail "cpack"; }
tar -tf out/mneme-*.tar.xz | grep -q 'bin/mneme$' || fail "no mneme in the .tar.xz"
dpkg-deb -I out/mneme_*.deb | grep -q 'Depends: .*libc6' || fail "no dependencies in the .deb"
dpkg-deb -x out/mneme_*.deb root
MNEME_PREFIX="$PWD/root/opt/mneme"
mneme="$MNEME_PREFIX/bin/mneme"
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
configure p b
build b
holds b/app add
