// SPDX-License-Identifier: Apache-2.0
/// Tolerance precedence and defaults; see tolerance_policy.h.
#include "replay/tolerance_policy.h"

#include <algorithm>
#include <cstdio>

namespace mneme::replay {
namespace {

using format::SelfCheck;

/// The self-check saw one repetition; the next may spread wider.
constexpr double kSpreadMargin = 4;

/// Something that says nothing leaves the decision to the next source.
struct Choice {
  Limits limits;
  std::string source;
};

Limits limitsOf(const std::optional<double>& atol, const std::optional<double>& rtol, const std::optional<uint64_t>& ulp) {
  return {atol.value_or(0), rtol.value_or(0), ulp.value_or(0)};
}

/// A tolerance for this buffer by name wins over one for all buffers; of equals, the last.
const format::Tolerance* findFlag(const std::vector<format::Tolerance>& flags, const std::string& buffer) {
  const format::Tolerance* general = nullptr;
  const format::Tolerance* named = nullptr;
  for (const auto& flag : flags) {
    if (!flag.buffer || flag.buffer->empty()) general = &flag;
    else if (*flag.buffer == buffer) named = &flag;
  }
  return named ? named : general;
}

const format::Annotation* findAnnotation(const format::Manifest& manifest, const std::string& buffer) {
  for (const auto& annotation : manifest.annotations)
    if (annotation.buffer == buffer) return &annotation;
  return nullptr;
}

std::optional<Choice> declared(const format::Manifest& manifest, const PolicyInputs& inputs, const std::string& buffer) {
  if (const auto* flag = findFlag(inputs.flags, buffer))
    return Choice{limitsOf(flag->atol, flag->rtol, flag->ulp), "--tolerance"};
  if (const auto* entry = inputs.file ? inputs.file->find(manifest.kernel, buffer) : nullptr)
    return Choice{limitsOf(entry->atol, entry->rtol, entry->ulp), "tolerance.json"};
  const auto* note = findAnnotation(manifest, buffer);
  if (note && (note->atol || note->rtol || note->ulp))
    return Choice{limitsOf(note->atol, note->rtol, note->ulp), "annotation"};
  return std::nullopt;
}

double crossDefault(ElementType type) {
  switch (type) {
    case ElementType::F16:
    case ElementType::BF16: return 1e-2;
    case ElementType::F32: return 1e-5;
    case ElementType::F64: return 1e-12;
    default: return 0;
  }
}

Limits spread(const SelfCheck& check) {
  return {check.absolute * kSpreadMargin, 0, static_cast<uint64_t>(static_cast<double>(check.ulp) * kSpreadMargin)};
}

const SelfCheck* selfCheckOf(const format::Manifest& manifest, CodeKind kind) {
  auto found = manifest.selfCheck.find(std::string(name(kind)));
  return found == manifest.selfCheck.end() ? nullptr : &found->second;
}

bool within(const SelfCheck* check) { return check && check->result == SelfCheck::Result::ReproducedWithin; }

/// What differs between the recording and this replay, if anything does.
std::string whatDiffers(const format::Manifest& manifest, const PolicyInputs& inputs) {
  if (manifest.model != inputs.model) return "default across devices";
  if (!inputs.compiler.empty() && !manifest.toolchain.empty() &&
      manifest.toolchain.find(inputs.compiler) == std::string::npos)
    return "default across compilers";
  return {};
}

Choice defaultFor(const format::Manifest& manifest, const PolicyInputs& inputs, ElementType type) {
  if (!isFloat(type)) return {{}, ""};
  const SelfCheck* check = selfCheckOf(manifest, inputs.kind);
  Limits seen = within(check) ? spread(*check) : Limits{};
  auto differs = whatDiffers(manifest, inputs);
  if (differs.empty()) return {seen, within(check) ? "spread of the self-check" : ""};
  seen.relative = crossDefault(type);
  return {seen, differs};
}

std::string limitsText(const Choice& choice) {
  if (choice.limits.exact()) return "exactly";
  format::Tolerance shown;
  if (choice.limits.absolute > 0) shown.atol = choice.limits.absolute;
  if (choice.limits.relative > 0) shown.rtol = choice.limits.relative;
  if (choice.limits.ulp > 0) shown.ulp = choice.limits.ulp;
  return "within " + format::toText(shown) + " (" + choice.source + ")";
}

/// All regions alike, or the differing ones by name.
std::string policyText(const std::vector<std::string>& texts) {
  std::vector<std::string> distinct;
  for (const auto& text : texts)
    if (std::find(distinct.begin(), distinct.end(), text) == distinct.end()) distinct.push_back(text);
  std::string joined;
  for (const auto& text : distinct) joined += (joined.empty() ? "" : " or ") + text;
  return joined.empty() ? "exactly" : joined;
}

const char* const kRedacted =
    "the recording is redacted: its floating-point memory is noise, before the launch and after it, so no answer is right";

std::string whyUndecidable(const format::Manifest& manifest, CodeKind kind) {
  const SelfCheck* check = selfCheckOf(manifest, kind);
  if (!check || check->result != SelfCheck::Result::NotReproduced) return {};
  return "the self-check did not reproduce this recording" + (check->reason.empty() ? "" : ": " + check->reason);
}

}  // namespace

std::vector<ElementType> elementTypes(const format::Manifest& manifest) {
  std::vector<ElementType> types;
  for (const auto& region : manifest.regions) {
    const auto* note = findAnnotation(manifest, region.range.name);
    types.push_back(note && note->element != ElementType::Bytes ? note->element : region.element);
  }
  return types;
}

Policy choosePolicy(const format::Manifest& manifest, const PolicyInputs& inputs) {
  Policy policy;
  std::vector<std::string> texts;
  auto types = elementTypes(manifest);
  bool byDefault = false;
  for (size_t i = 0; i < types.size(); ++i) {
    auto choice = declared(manifest, inputs, manifest.regions[i].range.name);
    byDefault |= manifest.regions[i].changed && !choice;
    if (inputs.exact) choice = Choice{};
    else if (!choice) choice = defaultFor(manifest, inputs, types[i]);
    policy.rules.push_back({types[i], choice->limits});
    if (manifest.regions[i].changed) texts.push_back(limitsText(*choice));
  }
  policy.text = policyText(texts);
  if (byDefault && !inputs.exact) policy.undecidable = whyUndecidable(manifest, inputs.kind);
  if (manifest.redaction == format::Redaction::Memory) policy.undecidable = kRedacted;
  return policy;
}

}  // namespace mneme::replay
