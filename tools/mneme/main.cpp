// SPDX-License-Identifier: Apache-2.0
/// The one command. Parses, finds the sub-command in the table, runs it, and exits with its code.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

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

int runMain(int argc, char** argv) {
  if (argc > 1 && argv[1][0] != '-' && !known(argv[1])) return unknownCommand(argv[1]);
  CLI::App app("Mneme records GPU kernel launches and replays them as tests.\n", "mneme");
  app.set_version_flag("--version", std::string("mneme ") + MNEME_VERSION);
  app.require_subcommand(1);
  app.footer("`mneme COMMAND --help` explains one command, with an example.");
  std::map<const CLI::App*, std::function<int()>> actions;
  for (const Command& command : commands()) {
    auto* sub = app.add_subcommand(command.name, command.summary);
    actions[sub] = command.setup(*sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPass : kUsage;
  }
  return actions.at(app.get_subcommands().front())();
}

}  // namespace
}  // namespace mneme::cli

int main(int argc, char** argv) { return mneme::cli::runMain(argc, argv); }
