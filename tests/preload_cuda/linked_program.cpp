// SPDX-License-Identifier: Apache-2.0
/// A program that is linked with the recorder: prints its environment as it is when main begins.
#include <cstdio>

extern char** environ;

int main() {
  for (char** variable = environ; *variable; ++variable) std::puts(*variable);
  return 0;
}
