// SPDX-License-Identifier: Apache-2.0
/// Relocatable device code. Each such object calls `__cudaRegisterLinkedBinary<id>` when the program starts, and expects
/// a device linker to have defined it. Ours defines each by a few lines of C that register the object's code and say
/// which objects belong to one device program; the runtime links their bitcode when a kernel of one needs another.
#include <fstream>
#include <set>
#include <sstream>

#include "steps.h"

namespace mneme::host_toolchain {
namespace {

constexpr const char* kPrefix = "__cudaRegisterLinkedBinary";

/// The ids that the objects and archives ask for and nobody in them defines.
Expected<std::set<std::string>> undefinedIds(const Words& objects) {
  std::set<std::string> ids, defined;
  Words question{"nm", "-A", "-P"};
  question.insert(question.end(), objects.begin(), objects.end());
  const auto answer = notes::runCaptured(question);
  if (!answer) return answer.error();
  std::istringstream lines(answer->output);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(kPrefix);
    if (at == std::string::npos) continue;
    const size_t blank = line.find(' ', at);
    const std::string id = line.substr(at + std::string(kPrefix).size(), blank - at - std::string(kPrefix).size());
    (line.compare(blank, 3, " U ") == 0 || line.ends_with(" U") ? ids : defined).insert(id);
  }
  for (const std::string& id : defined) ids.erase(id);
  return ids;
}

/// `group` is one object's address: unique in the process, also among the libraries that were linked this way.
std::string registrations(const std::set<std::string>& ids) {
  std::ostringstream out;
  out << "void** __cudaRegisterFatBinary(const void*);\nvoid __cudaRegisterFatBinaryEnd(void**);\n"
         "void __cudaUnregisterFatBinary(void**);\nvoid __cudaRegisterLinkedGroup(void**, const void*);\n"
         "static char group;\n";
  for (const std::string& id : ids)
    out << "static void** handle" << id << ";\n"
        << "void " << kPrefix << id << "(void (*globals)(void**), const void* code, const char* name, void (*unused)(void**)) {\n"
        << "  handle" << id << " = __cudaRegisterFatBinary(code);\n  __cudaRegisterLinkedGroup(handle" << id << ", &group);\n"
        << "  globals(handle" << id << ");\n  __cudaRegisterFatBinaryEnd(handle" << id << ");\n}\n"
        << "__attribute__((destructor)) static void leave" << id << "(void) {\n  if (handle" << id
        << ") __cudaUnregisterFatBinary(handle" << id << ");\n}\n";
  return out.str();
}

}  // namespace

Expected<int> deviceLink(const NvccCommand& command, const Words& objects, const std::string& object) {
  const auto ids = undefinedIds(objects);
  if (!ids) return ids.error();
  notes::TemporaryFiles files(object);
  const std::string source = files.make(".c");
  std::ofstream(source) << registrations(*ids);
  return runShown(command, {hostCompiler(command), "-x", "c", "-w", "-O1", "-fPIC", "-fvisibility=hidden", "-c", source, "-o", object});
}

}  // namespace mneme::host_toolchain
