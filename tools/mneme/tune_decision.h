// SPDX-License-Identifier: Apache-2.0
/// Which finalist, if any, replaces the default: it must run other code than the default, and its gain must be larger than
/// what the default's own rounds differ by.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mneme::cli {

/// One configuration's times in the finals.
struct Contender {
  std::string code;                          ///< identity of generated code and launch shape; empty: not known
  bool worked = true;                        ///< in every round
  std::vector<std::vector<double>> rounds;   ///< nanoseconds of one launch each, none empty
  [[nodiscard]] std::vector<double> samples() const;
};

struct Winner {
  size_t place = 0;  ///< among the finalists
  double nanoseconds = 0, gain = 1, low = 1, high = 1;
};

/// The same launch of the same code: any difference between their times is noise.
[[nodiscard]] bool sameCode(const std::string& a, const std::string& b);
/// What a gain's lower bound must exceed: 1.01, and the ratio of the default's slowest round to its fastest.
[[nodiscard]] double gainFloor(const Contender& base);
/// The fastest of those whose gain is sure; nullopt: the default stays.
[[nodiscard]] std::optional<Winner> chooseWinner(const Contender& base, std::span<const Contender> finalists);

}  // namespace mneme::cli
