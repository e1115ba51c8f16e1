// SPDX-License-Identifier: Apache-2.0
/// The one command. Parses, finds the sub-command in the table, runs it, and exits with its code.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "command.h"
#include "mneme/version.h"

namespace mneme::cli {
namespace {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}

/// A typo gets the nearest command; nothing near gets the list.
int unknownCommand(std::string_view word) {
  const auto all = commands();
  auto nearest = std::min_element(all.begin(), all.end(), [&](const Command& a, const Command& b) {
    return editDistance(word, a.name) < editDistance(word, b.name);
  });
  std::fprintf(stderr, "mneme: no command '%.*s'", static_cast<int>(word.size()), word.data());
  if (editDistance(word, nearest->name) <= 2) std::fprintf(stderr, "; did you mean '%s'?\n", nearest->name);
  else std::fprintf(stderr, "; `mneme --help` lists them\n");
  return kUsage;
}

bool known(std::string_view word) {
  return std::any_of(commands().begin(), commands().end(), [&](const Command& c) { return c.name == word; });
}

/// CLI11 would say that a sub-command is required, whatever else is wrong.
int noCommand(const char* option) {
  if (option) std::fprintf(stderr, "mneme: no option '%s' before a command; `mneme --help` lists the commands\n", printable(option).c_str());
  else std::fprintf(stderr, "mneme: a command is missing; `mneme --help` lists them\n");
  return kUsage;
}

/// One line, with the help that explains what is meant.
std::string failureText(const CLI::App* app, const CLI::Error& error) {
  std::string command = "mneme";
  for (auto parsed = app->get_subcommands(); !parsed.empty(); parsed = parsed.front()->get_subcommands())
    command += " " + parsed.front()->get_name();
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  return "mneme: " + printable(what) + "; `" + command + " --help` explains\n";
}

/// An empty value is a variable that a script forgot to set; doing as if the option were not there would hide that.
/// The command of `mneme record` is the program's own business.
void refuseEmptyValues(CLI::App& app) {
  const CLI::Validator notEmpty([](std::string& value) { return value.empty() ? std::string("an empty value") : std::string(); }, "");
  for (auto* option : app.get_options())
    if ((option->nonpositional() || app.get_name() != "record") && option->get_items_expected_max() > 0) option->check(notEmpty);
  for (auto* sub : app.get_subcommands({})) refuseEmptyValues(*sub);
}

/// What could not be printed was not said: a full disk or a closed pipe is no success.
int afterOutput(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good()) return code;
  std::fprintf(stderr, "mneme: cannot write to stdout: %s\n", std::strerror(errno));
  return code == kPass ? int{kDevice} : code;
}

int runMain(int argc, char** argv) {
  constexpr std::array<std::string_view, 3> kOwn{"-h", "--help", "--version"};
  const std::string_view first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') && !known(first)) return unknownCommand(first);
  if (first.starts_with('-') && std::find(kOwn.begin(), kOwn.end(), first) == kOwn.end()) return noCommand(argc > 1 ? argv[1] : nullptr);
  CLI::App app("Mneme records GPU kernel launches and replays them as tests.\n", "mneme");
  app.set_version_flag("--version", std::string("mneme ") + MNEME_VERSION);
  app.require_subcommand(1);
  app.footer("`mneme COMMAND --help` explains one command, with an example.");
  std::map<const CLI::App*, std::function<int()>> actions;
  for (const Command& command : commands()) {
    auto* sub = app.add_subcommand(command.name, command.summary);
    actions[sub] = command.setup(*sub);
  }
  refuseEmptyValues(app);
  app.failure_message(failureText);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? afterOutput(kPass) : kUsage;
  }
  return afterOutput(actions.at(app.get_subcommands().front())());
}

}  // namespace
}  // namespace mneme::cli

int main(int argc, char** argv) { return mneme::cli::runMain(argc, argv); }
