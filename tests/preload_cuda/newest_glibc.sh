#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# newest_glibc.sh LIBRARY [EXPORT…]: fails if the library needs a symbol of a glibc newer than 2.28, or does not export
# exactly these.
set -eu
newer=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+\)? +[A-Za-z_0-9]+' | tr -d ')' |
  awk '{ split($1, name, "_"); split(name[2], part, "."); if (part[1] > 2 || part[2] > 28) print }')
if [ -n "$newer" ]; then
  echo "$1 needs more than glibc 2.28:"
  echo "$newer"
  exit 1
fi
if objdump -T "$1" | grep -q 'GLIBCXX_\|CXXABI_\|GCC_'; then
  echo "$1 takes symbols from a shared libstdc++ or libgcc"
  exit 1
fi
objdump -T "$1" | grep -q 'GLIBC_2' || { echo "no symbols found: $1 was not looked at"; exit 1; }
library=$1
shift
[ $# -eq 0 ] && exit 0
exported=$(objdump -T "$library" | awk '!/\*UND\*/ && /^[0-9a-f]+ / { print $NF }' | sort | tr '\n' ' ')
expected=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
[ "$exported" = "$expected" ] || { echo "$library exports $exported, not $expected"; exit 1; }
