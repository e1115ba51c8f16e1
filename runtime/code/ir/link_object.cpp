// SPDX-License-Identifier: Apache-2.0
#include "code/ir/link_object.h"

#ifdef MNEME_HAS_LLD

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <mutex>
#include <string>

#include "base/file.h"
#include "code/temporary_folder.h"

LLD_HAS_DRIVER(elf)

namespace mneme::code {

Expected<std::vector<std::byte>> linkObject(std::span<const std::byte> object) {
  auto folder = TemporaryFolder::make();
  if (!folder) return std::move(folder).error();
  const std::string input = (folder->path() / "kernel.o").string(), output = (folder->path() / "kernel.hsaco").string();
  if (auto written = writeAtomically(input, object); !written) return std::move(written).error();
  std::string complaints;
  {
    static std::mutex mutex;
    const std::lock_guard guard(mutex);
    llvm::raw_string_ostream stream(complaints);
    const std::array arguments = {"ld.lld", "-shared", "--no-undefined", input.c_str(), "-o", output.c_str()};
    const lld::Result linked = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (linked.retCode != 0) return Error{ErrorCode::Unsupported, "lld: " + complaints};
  }
  return readBytes(output, uint64_t{1} << 32);
}

}  // namespace mneme::code

#else

namespace mneme::code {

Expected<std::vector<std::byte>> linkObject(std::span<const std::byte>) {
  return Error{ErrorCode::Unavailable, "this Mneme was built without lld: no AMD code objects"};
}

}  // namespace mneme::code

#endif
