# SPDX-License-Identifier: Apache-2.0
# The other Mneme's targets are recognised, and its command is not overwritten.
mkdir p
printf 'cmake_minimum_required(VERSION 3.25)\nproject(test LANGUAGES CXX)\nadd_library(Mneme::mneme INTERFACE IMPORTED)\nfind_package(Mneme REQUIRED)\n' > p/CMakeLists.txt
configure p b
tr '\n' ' ' < configure.log | tr -s ' ' | grep -q 'The other Mneme .* is loaded too' || fail "the namesake goes unnoticed"
mkdir -p prefix/bin
printf '#!/bin/sh\necho other\n' > prefix/bin/mneme
"$CMAKE" --install "$MNEME_BUILD" --prefix "$PWD/prefix" > log 2>&1 && fail "overwrote a foreign bin/mneme"
tr '\n' ' ' < log | tr -s ' ' | grep -q 'belongs to another program' || fail "does not say why"
grep -q 'echo other' prefix/bin/mneme || fail "the foreign command is gone"
rm prefix/bin/mneme
"$CMAKE" --install "$MNEME_BUILD" --prefix "$PWD/prefix" > log 2>&1 || fail "first install"
"$CMAKE" --install "$MNEME_BUILD" --prefix "$PWD/prefix" > log 2>&1 || fail "a second install over our own"
