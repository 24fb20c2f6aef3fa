// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::atomic and cuda::atomic_ref of numbers, where libcu++ 1 has too little: it cannot add to a float or double, and
// takes the least and the greatest of signed numbers as if they were unsigned. Scopes are there for racecheck, which knows
// them by the functions' names (simt/check/accesses.cpp), and an order is relaxed or the strongest, as in
// heddle/device_scoped_atomics.h. Included by <cuda/std/atomic> behind libcu++'s.
#ifndef HEDDLE_CUDA_STD_ATOMIC_VALUES_H
#define HEDDLE_CUDA_STD_ATOMIC_VALUES_H

#ifdef __clang__
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace __heddle_atomic {

template <class T, thread_scope Scope> inline T atomic_load(const T *at, bool isRelaxed) {
  T value;
  if (isRelaxed)
    __atomic_load(at, &value, __ATOMIC_RELAXED);
  else
    __atomic_load(at, &value, __ATOMIC_SEQ_CST);
  return value;
}

template <class T, thread_scope Scope> inline void atomic_store(T *at, T value, bool isRelaxed) {
  if (isRelaxed)
    __atomic_store(at, &value, __ATOMIC_RELAXED);
  else
    __atomic_store(at, &value, __ATOMIC_SEQ_CST);
}

template <class T, thread_scope Scope> inline T atomic_exchange(T *at, T value, bool isRelaxed) {
  T before;
  if (isRelaxed)
    __atomic_exchange(at, &value, &before, __ATOMIC_RELAXED);
  else
    __atomic_exchange(at, &value, &before, __ATOMIC_SEQ_CST);
  return before;
}

template <class T, thread_scope Scope> inline bool atomic_compare_exchange(T *at, T *expected, T value, bool isRelaxed) {
  return isRelaxed
             ? __atomic_compare_exchange(at, expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
             : __atomic_compare_exchange(at, expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#ifdef __clang__ // one instruction of LLVM's, also for floats
#define HEDDLE_ATOMIC_FETCH(name, next)                                                                                \
  template <class T, thread_scope Scope> inline T atomic_##name(T *at, T value, bool isRelaxed) {                      \
    return isRelaxed ? __atomic_##name(at, value, __ATOMIC_RELAXED) : __atomic_##name(at, value, __ATOMIC_SEQ_CST);    \
  }
#else
#define HEDDLE_ATOMIC_FETCH(name, next)                                                                                \
  template <class T, thread_scope Scope> inline T atomic_##name(T *at, T value, bool isRelaxed) {                      \
    T before = atomic_load<T, Scope>(at, true);                                                                        \
    while (!atomic_compare_exchange<T, Scope>(at, &before, T(next), isRelaxed))                                         \
      ;                                                                                                                \
    return before;                                                                                                     \
  }
#endif
HEDDLE_ATOMIC_FETCH(fetch_add, before + value)
HEDDLE_ATOMIC_FETCH(fetch_sub, before - value)
HEDDLE_ATOMIC_FETCH(fetch_and, before &value)
HEDDLE_ATOMIC_FETCH(fetch_or, before | value)
HEDDLE_ATOMIC_FETCH(fetch_xor, before ^ value)
HEDDLE_ATOMIC_FETCH(fetch_min, value < before ? value : before)
HEDDLE_ATOMIC_FETCH(fetch_max, before < value ? value : before)
#undef HEDDLE_ATOMIC_FETCH

/// Gives way to those that change the value.
inline void giveWay() {
#ifdef __CUDA_ARCH__
  __nanosleep(20);
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

inline bool isRelaxed(std::memory_order order) { return order == std::memory_order_relaxed; }

// The members of both, on the object that address() gives. CV is what they may be called on.
#define HEDDLE_ATOMIC_MEMBERS(T, CV)                                                                                   \
  using value_type = T;                                                                                                \
  using difference_type = T;                                                                                           \
  static constexpr bool is_always_lock_free = true;                                                                    \
  bool is_lock_free() const volatile noexcept { return true; }                                                         \
  T load(std::memory_order order = std::memory_order_seq_cst) const volatile noexcept {                                \
    return __heddle_atomic::atomic_load<T, Scope>(address(), isRelaxed(order));                                        \
  }                                                                                                                    \
  operator T() const volatile noexcept { return load(); }                                                              \
  void store(T value, std::memory_order order = std::memory_order_seq_cst) CV noexcept {                               \
    __heddle_atomic::atomic_store<T, Scope>(address(), value, isRelaxed(order));                                       \
  }                                                                                                                    \
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) CV noexcept {                               \
    return __heddle_atomic::atomic_exchange<T, Scope>(address(), value, isRelaxed(order));                             \
  }                                                                                                                    \
  bool compare_exchange_strong(T &expected, T value, std::memory_order order = std::memory_order_seq_cst) CV noexcept { \
    return __heddle_atomic::atomic_compare_exchange<T, Scope>(address(), &expected, value, isRelaxed(order));           \
  }                                                                                                                    \
  bool compare_exchange_strong(T &expected, T value, std::memory_order order, std::memory_order) CV noexcept {         \
    return compare_exchange_strong(expected, value, order);                                                            \
  }                                                                                                                    \
  bool compare_exchange_weak(T &expected, T value, std::memory_order order = std::memory_order_seq_cst) CV noexcept {  \
    return compare_exchange_strong(expected, value, order);                                                            \
  }                                                                                                                    \
  bool compare_exchange_weak(T &expected, T value, std::memory_order order, std::memory_order) CV noexcept {           \
    return compare_exchange_strong(expected, value, order);                                                            \
  }                                                                                                                    \
  void wait(T old, std::memory_order order = std::memory_order_seq_cst) const volatile noexcept {                      \
    while (load(order) == old)                                                                                         \
      giveWay();                                                                                                       \
  }                                                                                                                    \
  void notify_one() CV noexcept {}                                                                                     \
  void notify_all() CV noexcept {}                                                                                     \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_add, CV)                                                                         \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_sub, CV)                                                                         \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_min, CV)                                                                         \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_max, CV)                                                                         \
  T operator+=(T value) CV noexcept { return fetch_add(value) + value; }                                               \
  T operator-=(T value) CV noexcept { return fetch_sub(value) - value; }
#define HEDDLE_ATOMIC_FETCH_MEMBER(T, name, CV)                                                                        \
  T name(T value, std::memory_order order = std::memory_order_seq_cst) CV noexcept {                                   \
    return __heddle_atomic::atomic_##name<T, Scope>(address(), value, isRelaxed(order));                               \
  }
#define HEDDLE_ATOMIC_INTEGER_MEMBERS(T, CV)                                                                           \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_and, CV)                                                                         \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_or, CV)                                                                          \
  HEDDLE_ATOMIC_FETCH_MEMBER(T, fetch_xor, CV)                                                                         \
  T operator++(int) CV noexcept { return fetch_add(1); }                                                               \
  T operator--(int) CV noexcept { return fetch_sub(1); }                                                               \
  T operator++() CV noexcept { return fetch_add(1) + 1; }                                                              \
  T operator--() CV noexcept { return fetch_sub(1) - 1; }                                                              \
  T operator&=(T value) CV noexcept { return fetch_and(value) & value; }                                               \
  T operator|=(T value) CV noexcept { return fetch_or(value) | value; }                                                \
  T operator^=(T value) CV noexcept { return fetch_xor(value) ^ value; }

template <class T, bool IsInteger, thread_scope Scope> class Value;
template <class T, bool IsInteger, thread_scope Scope> class Reference;

#define HEDDLE_ATOMIC_CLASSES(IS_INTEGER, MORE)                                                                        \
  template <class T, thread_scope Scope> class Value<T, IS_INTEGER, Scope> {                                           \
  public:                                                                                                              \
    Value() noexcept = default;                                                                                        \
    constexpr Value(T value) noexcept : value_(value) {}                                                               \
    Value(const Value &) = delete;                                                                                     \
    Value &operator=(const Value &) = delete;                                                                          \
    HEDDLE_ATOMIC_MEMBERS(T, volatile)                                                                                 \
    MORE(T, volatile)                                                                                                  \
    T operator=(T value) volatile noexcept { return store(value), value; }                                             \
    T operator=(T value) noexcept { return store(value), value; }                                                      \
                                                                                                                       \
  private:                                                                                                             \
    T *address() const volatile { return const_cast<T *>(&value_); }                                                   \
    alignas(sizeof(T)) T value_;                                                                                       \
  };                                                                                                                   \
  template <class T, thread_scope Scope> class Reference<T, IS_INTEGER, Scope> {                                       \
  public:                                                                                                              \
    static constexpr size_t required_alignment = sizeof(T);                                                            \
    explicit constexpr Reference(T &object) noexcept : at_(&object) {}                                                 \
    Reference(const Reference &) noexcept = default;                                                                   \
    Reference &operator=(const Reference &) = delete;                                                                  \
    HEDDLE_ATOMIC_MEMBERS(T, const volatile)                                                                           \
    MORE(T, const volatile)                                                                                            \
    T operator=(T value) const volatile noexcept { return store(value), value; }                                       \
                                                                                                                       \
  private:                                                                                                             \
    T *address() const volatile { return at_; }                                                                        \
    T *at_;                                                                                                            \
  };
#define HEDDLE_ATOMIC_NO_MORE(T, CV)
HEDDLE_ATOMIC_CLASSES(true, HEDDLE_ATOMIC_INTEGER_MEMBERS)
HEDDLE_ATOMIC_CLASSES(false, HEDDLE_ATOMIC_NO_MORE)
#undef HEDDLE_ATOMIC_CLASSES
#undef HEDDLE_ATOMIC_NO_MORE
#undef HEDDLE_ATOMIC_MEMBERS
#undef HEDDLE_ATOMIC_INTEGER_MEMBERS
#undef HEDDLE_ATOMIC_FETCH_MEMBER

} // namespace __heddle_atomic

#define HEDDLE_ATOMIC_OF(T, IS_INTEGER)                                                                                \
  template <thread_scope Scope> struct atomic<T, Scope> : __heddle_atomic::Value<T, IS_INTEGER, Scope> {               \
    using __heddle_atomic::Value<T, IS_INTEGER, Scope>::Value;                                                         \
    using __heddle_atomic::Value<T, IS_INTEGER, Scope>::operator=;                                                     \
    atomic() noexcept = default;                                                                                       \
  };                                                                                                                   \
  template <thread_scope Scope> struct atomic_ref<T, Scope> : __heddle_atomic::Reference<T, IS_INTEGER, Scope> {       \
    using __heddle_atomic::Reference<T, IS_INTEGER, Scope>::Reference;                                                 \
    using __heddle_atomic::Reference<T, IS_INTEGER, Scope>::operator=;                                                 \
  };                                                                                                                   \
  namespace std {                                                                                                      \
  template <> struct atomic<T> : __heddle_atomic::Value<T, IS_INTEGER, thread_scope_system> {                          \
    using __heddle_atomic::Value<T, IS_INTEGER, thread_scope_system>::Value;                                           \
    using __heddle_atomic::Value<T, IS_INTEGER, thread_scope_system>::operator=;                                       \
    atomic() noexcept = default;                                                                                       \
  };                                                                                                                   \
  template <> struct atomic_ref<T> : __heddle_atomic::Reference<T, IS_INTEGER, thread_scope_system> {                  \
    using __heddle_atomic::Reference<T, IS_INTEGER, thread_scope_system>::Reference;                                   \
    using __heddle_atomic::Reference<T, IS_INTEGER, thread_scope_system>::operator=;                                   \
  };                                                                                                                   \
  }
HEDDLE_ATOMIC_OF(int, true)
HEDDLE_ATOMIC_OF(long, true)
HEDDLE_ATOMIC_OF(long long, true)
HEDDLE_ATOMIC_OF(float, false)
HEDDLE_ATOMIC_OF(double, false)
#undef HEDDLE_ATOMIC_OF

} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
