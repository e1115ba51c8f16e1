// SPDX-License-Identifier: Apache-2.0
/// What tunings found, for host code to ask for. `mneme_apply_tuning` makes one header a kernel on top of this:
///
///   #include <mneme/tuned/stencil.h>
///   dim3 block(tuned::stencil.block_x_or(256));                        // what tuned.json says, else 256
///   dim3 other(tuned::stencil.on(properties.name).block_x_or(256));    // of this device
///
/// Everything is constexpr, so that a value can also be a constant of device code. C++14.
#pragma once

namespace mneme {
namespace tuned {

struct Value {
  const char* name;
  long long value;
};

/// One entry of tuned.json that is better than the default.
struct Entry {
  const char* device;           ///< "NVIDIA H200"
  unsigned long long threads;   ///< of the launch it was tuned on
  const Value* values;
  unsigned count;
};

class Kernel {
 public:
  constexpr Kernel(const Entry* entries, unsigned count) : entries_(entries), count_(count) {}

  /// The entries for this device; if there are none, those for a device of the same vendor (the same first word); across
  /// vendors none, since a good choice for one is a bad one for the other.
  constexpr Kernel on(const char* device) const {
    return forDevice(device, false).count_ ? forDevice(device, false) : forDevice(device, true);
  }
  /// The entry whose launch had the nearest number of threads, by ratio.
  constexpr Kernel near(unsigned long long threads) const {
    unsigned best = 0;
    for (unsigned i = 1; i < count_; ++i)
      if (further(entries_[best].threads, entries_[i].threads, threads)) best = i;
    return count_ ? Kernel(entries_ + best, 1) : *this;
  }

  /// A parameter of the space, or block_x … block_z, grid_x … grid_z, shared; of the first entry.
  constexpr long long value_or(const char* name, long long fallback) const {
    for (unsigned i = 0; count_ && i < entries_->count; ++i)
      if (same(entries_->values[i].name, name)) return entries_->values[i].value;
    return fallback;
  }
  constexpr unsigned block_x_or(unsigned fallback) const { return static_cast<unsigned>(value_or("block_x", fallback)); }
  constexpr unsigned block_y_or(unsigned fallback) const { return static_cast<unsigned>(value_or("block_y", fallback)); }
  constexpr unsigned block_z_or(unsigned fallback) const { return static_cast<unsigned>(value_or("block_z", fallback)); }
  constexpr unsigned shared_or(unsigned fallback) const { return static_cast<unsigned>(value_or("shared", fallback)); }
  constexpr bool known() const { return count_ != 0; }

 private:
  static constexpr bool same(const char* a, const char* b) {
    for (; *a && *a == *b; ++a, ++b) {}
    return *a == *b;
  }
  static constexpr bool sameVendor(const char* a, const char* b) {
    for (; *a && *a != ' ' && *a == *b; ++a, ++b) {}
    return (*a == ' ' || !*a) && (*b == ' ' || !*b);
  }
  /// Whether a is further from the wanted than b: a/w > b/w or w/a > w/b.
  static constexpr bool further(unsigned long long a, unsigned long long b, unsigned long long wanted) {
    return ratio(a, wanted) > ratio(b, wanted);
  }
  static constexpr double ratio(unsigned long long a, unsigned long long b) {
    return a > b ? static_cast<double>(a) / static_cast<double>(b ? b : 1) : static_cast<double>(b) / static_cast<double>(a ? a : 1);
  }
  /// Entries are sorted by device, so that one device's lie together.
  constexpr Kernel forDevice(const char* device, bool vendor) const {
    unsigned first = 0;
    while (first < count_ && !(vendor ? sameVendor(entries_[first].device, device) : same(entries_[first].device, device))) ++first;
    unsigned last = first;
    while (last < count_ && same(entries_[last].device, entries_[first].device)) ++last;
    return Kernel(entries_ + first, last - first);
  }

  const Entry* entries_;
  unsigned count_;
};

}  // namespace tuned
}  // namespace mneme
