// SPDX-License-Identifier: Apache-2.0
#include "code/ir/libdevice.h"

#include "code/toolkit.h"

namespace mneme::code {

Expected<Libdevice> Libdevice::find() {
  auto path = findToolkitFile("nvvm/libdevice/libdevice.10.bc");
  if (!path) return std::move(path).error();
  auto file = MappedFile::open(*path);
  if (!file) return std::move(file).error();
  return Libdevice(std::move(*file), path->string());
}

}  // namespace mneme::code
