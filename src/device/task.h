// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace heddle::device {

/// A piece of host work that a queue runs once, on some thread of ours: a copy, a fill, a host
/// function. Made from any callable `void()`; captures of up to 160 bytes lie inside, so that
/// queueing allocates nothing. Move-only.
class Task {
public:
  static constexpr size_t InlineBytes = 160;

  Task() = default;
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Task>)
  Task(F &&callable) {
    using Callable = std::remove_cvref_t<F>;
    if constexpr (sizeof(Callable) <= InlineBytes &&
                  alignof(Callable) <= alignof(std::max_align_t)) {
      new (storage_) Callable(std::forward<F>(callable));
      ops_ = &inlineOps<Callable>;
    } else {
      *reinterpret_cast<Callable **>(storage_) = new Callable(std::forward<F>(callable));
      ops_ = &heapOps<Callable>;
    }
  }
  Task(Task &&other) noexcept { take(other); }
  Task &operator=(Task &&other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~Task() { clear(); }

  explicit operator bool() const { return ops_ != nullptr; }
  void operator()() { ops_->run(storage_); }
  void clear() {
    if (ops_)
      std::exchange(ops_, nullptr)->destroy(storage_);
  }

private:
  struct Ops {
    void (*run)(void *);
    void (*move)(void *to, void *from); ///< leaves `from` destroyed
    void (*destroy)(void *);
  };
  template <typename C>
  static constexpr Ops inlineOps = {[](void *p) { (*static_cast<C *>(p))(); },
                                    [](void *to, void *from) {
                                      new (to) C(std::move(*static_cast<C *>(from)));
                                      static_cast<C *>(from)->~C();
                                    },
                                    [](void *p) { static_cast<C *>(p)->~C(); }};
  template <typename C>
  static constexpr Ops heapOps = {
      [](void *p) { (**static_cast<C **>(p))(); },
      [](void *to, void *from) { *static_cast<C **>(to) = *static_cast<C **>(from); },
      [](void *p) { delete *static_cast<C **>(p); }};

  void take(Task &other) {
    ops_ = std::exchange(other.ops_, nullptr);
    if (ops_)
      ops_->move(storage_, other.storage_);
  }

  const Ops *ops_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[InlineBytes];
};

} // namespace heddle::device
