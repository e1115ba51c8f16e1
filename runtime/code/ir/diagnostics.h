// SPDX-License-Identifier: Apache-2.0
/// Keeps what LLVM complains about. Without it LLVM prints errors and ends the process.
#pragma once

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace mneme::code {

/// `errors` and `warnings` are the caller's and outlive the context.
class DiagnosticCollector final : public llvm::DiagnosticHandler {
 public:
  DiagnosticCollector(std::string& errors, std::string& warnings) : errors_(errors), warnings_(warnings) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) append(errors_, info);
    else if (info.getSeverity() == llvm::DS_Warning) append(warnings_, info);
    return true;
  }

 private:
  static void append(std::string& text, const llvm::DiagnosticInfo& info) {
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << '\n';
  }

  std::string& errors_;
  std::string& warnings_;
};

}  // namespace mneme::code
