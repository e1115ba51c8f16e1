/* SPDX-License-Identifier: Apache-2.0 */
/** What a program may tell the recorder about its own memory and launches. Header-only, C++14, no library to link:
 *  where nothing records, every call is one test of a null pointer. Thread-safe.
 *
 *      mneme::annotate(forces, {mneme::Element::f32, 1e-6, 1e-4, mneme::any, "forces"});
 *      mneme::suballocated(block, bytes);   // from a pool allocator, mneme::freed(block) when it goes back
 *      auto scope = mneme::tag("warm-up");  // launches of this thread get the tag until `scope` ends
 */
#ifndef MNEME_MNEME_H
#define MNEME_MNEME_H

extern "C" {

/** A tolerance; negative numbers: not given. Its layout is fixed: recorder libraries of other versions read it. */
struct mneme_annotation {
  int element; /* a mneme::Element */
  double atol, rtol;
  long long ulp;
  const char *name; /* copied; may be null */
};

__attribute__((weak)) void mneme_annotate(const void *pointer, const struct mneme_annotation *annotation);
__attribute__((weak)) void mneme_suballocated(const void *base, unsigned long long size);
__attribute__((weak)) void mneme_subfreed(const void *base);
__attribute__((weak)) void mneme_push_tag(const char *text);
__attribute__((weak)) void mneme_pop_tag(void);
}

namespace mneme {

/** How replays read a buffer's bytes when they compare; the numbers are those of the recorder. */
enum class Element { bytes = 0, f16 = 1, bf16 = 2, f32 = 3, f64 = 4, i8 = 5, i16 = 6, i32 = 7, i64 = 8 };

constexpr int any = -1; /**< for a tolerance: not given */

/** Absolute, relative and unit-in-the-last-place tolerance of one buffer; `name` is what reports call it. */
struct Annotation {
  constexpr Annotation(Element element_, double atol_ = any, double rtol_ = any, long long ulp_ = any,
                       const char *name_ = nullptr)
      : element(element_), atol(atol_), rtol(rtol_), ulp(ulp_), name(name_) {}
  Element element;
  double atol, rtol;
  long long ulp;
  const char *name;
};

/** Says what is in the buffer that holds `pointer`; holds for the allocation until annotated again. */
inline void annotate(const void *pointer, const Annotation &annotation) {
  if (!mneme_annotate) return;
  const mneme_annotation given = {static_cast<int>(annotation.element), annotation.atol, annotation.rtol, annotation.ulp,
                                  annotation.name};
  mneme_annotate(pointer, &given);
}

/** A pool allocator hands out [base, base + size) of a larger allocation: it is recorded as a region of its own. */
inline void suballocated(const void *base, unsigned long long size) {
  if (mneme_suballocated) mneme_suballocated(base, size);
}

/** The block at `base` went back to its pool. */
inline void freed(const void *base) {
  if (mneme_subfreed) mneme_subfreed(base);
}

/** Ends its tag when it goes. Stays on the thread that made it. */
class ScopedTag {
 public:
  explicit ScopedTag(const char *text) : open_(mneme_push_tag != nullptr && mneme_pop_tag != nullptr) {
    if (open_) mneme_push_tag(text);
  }
  ScopedTag(ScopedTag &&other) noexcept : open_(other.open_) { other.open_ = false; }
  ScopedTag(const ScopedTag &) = delete;
  ScopedTag &operator=(const ScopedTag &) = delete;
  ~ScopedTag() {
    if (open_) mneme_pop_tag();
  }

 private:
  bool open_;
};

/** Launches of this thread carry `text` in their identity until the result goes; tags nest. */
__attribute__((warn_unused_result)) inline ScopedTag tag(const char *text) { return ScopedTag(text); }

}  // namespace mneme

#endif
