# SPDX-License-Identifier: Apache-2.0
# Every installed public header compiles alone, in the oldest language it promises, and under nvcc without -std.
for header in "$MNEME_PREFIX"/include/mneme/*.h; do
  name=$(basename "$header")
  echo "#include <mneme/$name>" > one.cpp
  g++ -std=c++17 -Wall -Wextra -Werror -I"$MNEME_PREFIX/include" -fsyntax-only one.cpp || fail "$name"
  if command -v nvcc > /dev/null; then
    cp one.cpp one.cu
    nvcc -I"$MNEME_PREFIX/include" -c one.cu -o one.o || fail "$name under nvcc"
  fi
done
