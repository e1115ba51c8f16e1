// SPDX-License-Identifier: Apache-2.0
/// A program that is linked with the recorder: prints its environment as it is when main begins. With an argument it
/// annotates and prints the library that answers the annotations instead.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

#include "mneme/mneme.h"

extern char** environ;

namespace {

int annotate() {
  static float values[16];
  const auto scope = mneme::tag("first");
  mneme::annotate(values, {mneme::Element::f32, 1e-6, 1e-4, mneme::any, "values"});
  mneme::suballocated(values, sizeof values);
  mneme::freed(values);
  for (void* entry : {reinterpret_cast<void*>(mneme_annotate), reinterpret_cast<void*>(mneme_suballocated),
                      reinterpret_cast<void*>(mneme_subfreed), reinterpret_cast<void*>(mneme_push_tag),
                      reinterpret_cast<void*>(mneme_pop_tag)}) {
    Dl_info info{};
    std::puts(entry && dladdr(entry, &info) ? info.dli_fname : "nobody");
  }
  return 0;
}

}  // namespace

int main(int count, char**) {
  if (count > 1) return annotate();
  for (char** variable = environ; *variable; ++variable) std::puts(*variable);
  return 0;
}
