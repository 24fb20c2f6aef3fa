// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on a program's macros and so is not in begin.h.
#pragma clang system_header

#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...)                                                                                \
  ((__VA_ARGS__) ? (void)0 : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#ifdef __HEDDLE_MOVE_FORWARD__
namespace std {
template <typename T> struct __heddle_bare {
  typedef T type;
};
template <typename T> struct __heddle_bare<T &> {
  typedef T type;
};
template <typename T> struct __heddle_bare<T &&> {
  typedef T type;
};
template <typename T>
constexpr __host__ __device__ typename __heddle_bare<T>::type &&move(T &&value) noexcept {
  return static_cast<typename __heddle_bare<T>::type &&>(value);
}
template <typename T>
constexpr __host__ __device__ T &&forward(typename __heddle_bare<T>::type &value) noexcept {
  return static_cast<T &&>(value);
}
template <typename T>
constexpr __host__ __device__ T &&forward(typename __heddle_bare<T>::type &&value) noexcept {
  return static_cast<T &&>(value);
}
} // namespace std
#endif

#ifdef __HEDDLE_INITIALIZER_LIST__
namespace std {
/// Laid out as clang makes one: the first element and their number.
template <typename T> class initializer_list {
  const T *first_ = nullptr;
  __SIZE_TYPE__ size_ = 0;

public:
  typedef T value_type;
  typedef const T &reference;
  typedef const T &const_reference;
  typedef __SIZE_TYPE__ size_type;
  typedef const T *iterator;
  typedef const T *const_iterator;
  constexpr __host__ __device__ initializer_list() noexcept {}
  constexpr __host__ __device__ size_type size() const noexcept { return size_; }
  constexpr __host__ __device__ const T *begin() const noexcept { return first_; }
  constexpr __host__ __device__ const T *end() const noexcept { return first_ + size_; }
};
template <typename T>
constexpr __host__ __device__ const T *begin(initializer_list<T> list) noexcept {
  return list.begin();
}
template <typename T>
constexpr __host__ __device__ const T *end(initializer_list<T> list) noexcept {
  return list.end();
}
} // namespace std
#endif

#ifdef __HEDDLE_DEFAULT_DEVICE__
#pragma clang force_cuda_host_device begin
#endif
