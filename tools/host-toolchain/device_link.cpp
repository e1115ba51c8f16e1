// SPDX-License-Identifier: Apache-2.0
/// Relocatable device code. Each such object calls `__cudaRegisterLinkedBinary<id>` when the program starts, expecting a
/// device linker to have defined it. Here the objects' bitcode becomes one module, and a few lines of C register that
/// module once, with every object's kernels and variables.
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "note-compiler/note_step.h"
#include "steps.h"

namespace mneme::host_toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "__cudaRegisterLinkedBinary";
constexpr const char* kSection = "__nv_relfatbin";

/// A folder beside the output, gone at the end.
class Workshop {
 public:
  explicit Workshop(const std::string& object) : path_(object + ".mneme.link") {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    fs::create_directories(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The objects, and the archives that the command links.
Words withArchives(const NvccCommand& command, Words objects) {
  for (const std::string& word : command.linkFlags)
    if (word.ends_with(".a")) objects.push_back(word);
  return objects;
}

/// Archives unpacked: every member in a folder of its archive's number.
Expected<Words> unpacked(const Words& inputs, const Workshop& workshop) {
  Words objects;
  for (const std::string& input : inputs) {
    if (!input.ends_with(".a")) {
      objects.push_back(input);
      continue;
    }
    const fs::path folder = workshop.file(std::to_string(objects.size()));
    std::error_code failed;
    fs::create_directories(folder, failed);
    const auto answer = notes::runCaptured({"ar", "x", "--output=" + folder.string(), fs::absolute(input).string()});
    if (!answer) return answer.error();
    for (const auto& entry : fs::directory_iterator(folder, failed)) objects.push_back(entry.path().string());
  }
  return objects;
}

struct Part {
  std::string object, id;
};

/// The objects with relocatable code that no earlier device link has taken.
Expected<std::vector<Part>> relocatableParts(const Words& objects) {
  std::vector<Part> parts;
  std::set<std::string> taken;
  for (const std::string& object : objects) {
    const auto answer = notes::runCaptured({"nm", "-P", object});
    if (!answer) return answer.error();
    std::istringstream lines(answer->output);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(kPrefix)) continue;
      const std::string id = line.substr(kPrefix.size(), line.find(' ') - kPrefix.size());
      if (line[line.find(' ') + 1] == 'U') parts.push_back({object, id});
      else taken.insert(id);
    }
  }
  std::erase_if(parts, [&](const Part& part) { return taken.count(part.id) > 0; });
  return parts;
}

Expected<int> linkBitcode(const std::vector<Part>& parts, const Workshop& workshop, const std::string& program) {
  Words command{notes::helper("mneme-bitcode"), "link", program};
  for (const Part& part : parts) {
    const std::string bitcode = workshop.file(std::to_string(command.size()) + ".bc");
    const auto dumped = notes::run({"objcopy", "--dump-section", std::string(kSection) + "=" + bitcode, part.object, "/dev/null"});
    if (!dumped || *dumped != 0) return dumped;
    command.push_back(bitcode);
  }
  return notes::run(command);
}

std::string registrations(const std::vector<Part>& parts, const std::string& program) {
  std::ostringstream out;
  out << "void** __cudaRegisterFatBinary(const void*);\nvoid __cudaRegisterFatBinaryEnd(void**);\n"
         "void __cudaUnregisterFatBinary(void**);\n"
         "__asm__(\".section .rodata\\n.balign 16\\nmneme_device_program:\\n.incbin \\\""
      << program << "\\\"\\n.text\\n\");\n"
         "extern const char code[] __asm__(\"mneme_device_program\") __attribute__((visibility(\"hidden\")));\n"
         "static const struct { int magic, version; const void* data; void* unused; } wrapper = {0x466243b1, 1, code, 0};\n"
         "static void** handle;\n"
         "static void** joined(void) {\n  if (!handle) {\n    handle = __cudaRegisterFatBinary(&wrapper);\n  }\n  return handle;\n}\n"
         // Constructors run in the order of linking, so this comes after the objects'.
         "__attribute__((constructor)) static void complete(void) {\n  if (handle) __cudaRegisterFatBinaryEnd(handle);\n}\n"
         "__attribute__((destructor)) static void leave(void) {\n  if (handle) __cudaUnregisterFatBinary(handle);\n}\n";
  for (const Part& part : parts)
    out << "void " << kPrefix << part.id << "(void (*globals)(void**)) { globals(joined()); }\n";
  return out.str();
}

}  // namespace

Expected<int> deviceLink(const NvccCommand& command, const Words& objects, const std::string& object) {
  const Workshop workshop(object);
  const auto all = unpacked(withArchives(command, objects), workshop);
  if (!all) return all.error();
  const auto parts = relocatableParts(*all);
  if (!parts) return parts.error();
  const std::string program = fs::absolute(workshop.file("program.bc")), source = workshop.file("registrations.c");
  std::string text = "/* no relocatable device code */\n";
  if (!parts->empty()) {
    const auto linked = linkBitcode(*parts, workshop, program);
    if (!linked || *linked != 0) return linked;
    text = registrations(*parts, program);
  }
  if (auto written = writeAtomically(source, text); !written) return std::move(written).error();
  return runShown(command, {hostCompiler(command), "-w", "-O1", "-fPIC", "-fvisibility=hidden", "-x", "c", "-c", source, "-o", object});
}

}  // namespace mneme::host_toolchain
