// SPDX-License-Identifier: Apache-2.0
/// A strategy is a coroutine that yields points and gets their times back; this drives it as ask and tell.
///
///   Search onlyRandom(StrategyInput input) {
///     while (auto point = input.domain.random(input.random)) {
///       double time = co_yield *point;                       // one point
///       std::vector<double> times = co_yield Batch(points);  // many: they may be measured at once
///     }
///   }
///
/// A failed point's time is infinity. What was asked before is answered from memory and costs nothing.
#pragma once

#include <coroutine>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tune/domain.h"
#include "tune/random.h"

namespace mneme::tune {

inline constexpr double kFailed = std::numeric_limits<double>::infinity();

/// No aggregate: g++ 12 destroys an aggregate that is made inside of a co_yield twice.
struct Batch {
  Batch() = default;
  Batch(std::vector<Point> wanted, unsigned times = 0) : points(std::move(wanted)), repetitions(times) {}
  std::vector<Point> points;
  unsigned repetitions = 0;  ///< how often each is measured; 0: as often as usual. Few are cheap and noisy
};

/// A strategy under way. Owns the coroutine.
class [[nodiscard]] Search {
 public:
  struct promise_type {
    Batch batch;
    std::vector<double> times;

    struct OneTime {
      promise_type& promise;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) const noexcept {}
      double await_resume() const { return promise.times.front(); }
    };
    struct AllTimes {
      promise_type& promise;
      bool await_ready() const noexcept { return promise.batch.points.empty(); }
      void await_suspend(std::coroutine_handle<>) const noexcept {}
      std::vector<double> await_resume() const { return std::move(promise.times); }
    };

    Search get_return_object() { return Search(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    OneTime yield_value(Point point) {
      batch = Batch(std::vector<Point>(1, std::move(point)));
      return {*this};
    }
    AllTimes yield_value(Batch wanted) {
      batch = std::move(wanted);
      times.clear();
      return {*this};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }  // strategies do not throw
  };

  Search(Search&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Search& operator=(Search&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Search() {
    if (handle_) handle_.destroy();
  }

  /// Runs the strategy up to its next wish; nullptr when it has ended.
  const Batch* resume() {
    handle_.resume();
    return handle_.done() ? nullptr : &handle_.promise().batch;
  }
  void answer(std::vector<double> times) { handle_.promise().times = std::move(times); }

 private:
  explicit Search(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

/// What one strategy gets. References outlive the search.
struct StrategyInput {
  const Domain& domain;
  Random& random;
  size_t budget = 0;          ///< evaluations that will be made; 0: not known
  std::vector<Point> start;   ///< valid points to look at first: the default, winners of earlier tunings
};

/// Appends random valid points until there are `count`; false if the domain has none left.
[[nodiscard]] bool fillUp(std::vector<Point>& points, size_t count, const StrategyInput& input);

struct Ask {
  Point point;
  unsigned repetitions = 0;
};

/// Ask and tell over a Search. Used by one thread; any number of asked points may be out at a time.
class AskTell {
 public:
  AskTell(const Domain& domain, Search search, uint64_t seed) : domain_(domain), search_(std::move(search)), random_(seed) {}

  /// A point to measure; nullopt while the strategy waits for what is out, or when it has ended: see finished().
  [[nodiscard]] std::optional<Ask> ask();
  void tell(const Ask& asked, double time);
  /// Nothing is left to ask for: every valid point is known, or the strategy ended.
  [[nodiscard]] bool finished() const { return finished_ && outstanding_ == 0; }

 private:
  struct Known {
    double time;
    unsigned repetitions;
  };
  [[nodiscard]] const Known* known(const Point& point, unsigned repetitions) const;
  bool nextBatch();
  bool startBatch(const Batch& batch);
  [[nodiscard]] std::optional<Ask> unseen();

  const Domain& domain_;
  Search search_;
  Random random_;
  bool started_ = false, finished_ = false, stalled_ = false;
  Batch batch_;
  std::vector<size_t> waiting_;  ///< places in the batch that were not yet asked
  size_t outstanding_ = 0;
  std::unordered_map<Point, Known, PointHash> known_;
};

}  // namespace mneme::tune
