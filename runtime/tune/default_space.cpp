// SPDX-License-Identifier: Apache-2.0
/// See default_space.h.
#include "tune/default_space.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace mneme::tune {
namespace {

using Json = nlohmann::ordered_json;

/// Powers of two up to what an axis can use, whole warps on the first one, three quarters on others, and what was recorded.
Json sizes(uint32_t recorded, uint64_t threads, uint32_t maxThreads, uint32_t least, bool first) {
  std::set<uint32_t> values{recorded};
  for (uint32_t power = least; power <= maxThreads && power < 2 * threads; power *= 2) {
    values.insert(power);
    if (!first && power >= 16) values.insert(power / 4 * 3);
  }
  for (uint32_t size = 32; first && size <= maxThreads && size < threads + 32; size += 32) values.insert(size);
  return {{"values", values}, {"default", recorded}};
}

void addKnobs(Json& space) {
  auto& parameters = space["parameters"];
  parameters["bounds"] = {{"values", {false, true}}, {"default", false}};
  parameters["min_blocks"] = {{"values", {0, 2, 4, 8}}, {"default", 0}, {"when", "bounds"}};
  parameters["registers"] = {{"values", {0, 32, 48, 64, 96, 128}}, {"default", 0}, {"when", "min_blocks == 0"}};
  parameters["fold"] = {{"values", {false, true}}, {"default", false}};
  parameters["unroll"] = {{"values", {0, 1, 2, 4, 8}}, {"default", 0}};
  parameters["pipeline"] = {{"values", {"default<O3>", "default<O2>", "default<O1>"}}, {"default", "default<O3>"}};
  space["knobs"] = {{"max_threads", "block_x * block_y * block_z if bounds else 0"}, {"min_blocks", "min_blocks"}, {"max_registers", "registers"},
                    {"fold_arguments", "fold"}, {"fold_block", "fold"}, {"fold_grid", "fold"}, {"unroll", "unroll"}, {"pipeline", "pipeline"}};
}

}  // namespace

std::string defaultSpaceText(const LaunchShape& recorded, bool generated, uint32_t maxThreads) {
  const auto threads = [](uint32_t grid, uint32_t block) { return uint64_t{grid} * block; };
  const uint64_t x = threads(recorded.grid.x, recorded.block.x), y = threads(recorded.grid.y, recorded.block.y), z = threads(recorded.grid.z, recorded.block.z);
  Json space{{"mneme_space", 1}, {"description", "derived from the recording: the same threads in other blocks"}};
  space["parameters"] = {{"block_x", sizes(recorded.block.x, x, maxThreads, x >= 32 ? 8 : 1, true)},
                         {"block_y", sizes(recorded.block.y, y, maxThreads, 1, false)},
                         {"block_z", sizes(recorded.block.z, z, 64, 1, false)}};
  space["constraints"] = {"block_x * block_y * block_z <= " + std::to_string(maxThreads),
                          "block_x * block_y * block_z >= min(32, recorded.block.x * recorded.block.y * recorded.block.z)"};
  space["shape"] = {{"rule", "keep_threads"}, {"block", {"block_x", "block_y", "block_z"}}};
  if (generated) addKnobs(space);
  return space.dump(2) + "\n";
}

}  // namespace mneme::tune
