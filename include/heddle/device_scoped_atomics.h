// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic functions that take an order and a scope: __nv_atomic_load, __nv_atomic_fetch_add, ...
// CUDA guide, "Atomic Functions". The order is LLVM's; of the scope only the name is left. Types of
// 16 bytes go through the
// 16-byte compare-and-swap.
#ifndef HEDDLE_DEVICE_SCOPED_ATOMICS_H
#define HEDDLE_DEVICE_SCOPED_ATOMICS_H

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
#define HEDDLE_SCOPE int = __NV_THREAD_SCOPE_SYSTEM

// An integer of T's size: what LLVM's atomics move. Of 16 bytes there is none.
template <unsigned long Bytes> struct __heddle_atomic_word;
template <> struct __heddle_atomic_word<1> { using type = unsigned char; };
template <> struct __heddle_atomic_word<2> { using type = unsigned short; };
template <> struct __heddle_atomic_word<4> { using type = unsigned; };
template <> struct __heddle_atomic_word<8> { using type = unsigned long long; };
template <class T> using __heddle_word_of = typename __heddle_atomic_word<sizeof(T)>::type;

// No deduction from the value: __nv_atomic_fetch_add(&longValue, 1, ...) is an addition of long.
template <class T> struct __heddle_same_type { using type = T; };
template <class T> using __heddle_value_of = typename __heddle_same_type<T>::type;

// The other order of a failed compare-and-swap may only be a load's.
HEDDLE_D bool __nv_atomic_compare_exchange_words(void *p, void *expected, const void *desired) {
  __heddle_words16 before, wanted = *(__heddle_words16 *)expected;
  __heddle_cas128(p, expected, desired, &before);
  *(__heddle_words16 *)expected = before;
  return __heddle_same16(before, wanted);
}

template <class T>
HEDDLE_D bool __nv_atomic_compare_exchange(T *p, __heddle_value_of<T> *expected, __heddle_value_of<T> *desired,
                                           bool, int order, int, HEDDLE_SCOPE) {
  if constexpr (sizeof(T) == 16) {
    return __nv_atomic_compare_exchange_words(p, expected, desired);
  } else {
    using Word = __heddle_word_of<T>;
    Word wanted = __builtin_bit_cast(Word, *expected), value = __builtin_bit_cast(Word, *desired);
    bool swapped = order == __NV_ATOMIC_RELAXED
                       ? __atomic_compare_exchange_n((Word *)p, &wanted, value, false, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)
                       : __atomic_compare_exchange_n((Word *)p, &wanted, value, false, __ATOMIC_SEQ_CST,
                                                     __ATOMIC_SEQ_CST);
    *expected = __builtin_bit_cast(T, wanted);
    return swapped;
  }
}
template <class T>
HEDDLE_D bool __nv_atomic_compare_exchange_n(T *p, __heddle_value_of<T> *expected, __heddle_value_of<T> desired,
                                             bool weak, int order, int failure, HEDDLE_SCOPE) {
  return __nv_atomic_compare_exchange(p, expected, &desired, weak, order, failure);
}

template <class T> HEDDLE_D void __nv_atomic_load(const T *p, __heddle_value_of<T> *result, int order, HEDDLE_SCOPE) {
  if constexpr (sizeof(T) == 16) {
    __heddle_words16 none = {0, 0};
    __heddle_cas128((void *)p, &none, &none, result);
  } else {
    using Word = __heddle_word_of<T>;
    Word value = order == __NV_ATOMIC_RELAXED ? __atomic_load_n((const Word *)p, __ATOMIC_RELAXED)
                                              : __atomic_load_n((const Word *)p, __ATOMIC_SEQ_CST);
    *result = __builtin_bit_cast(T, value);
  }
}
template <class T> HEDDLE_D T __nv_atomic_load_n(const T *p, int order, HEDDLE_SCOPE) {
  T result;
  __nv_atomic_load(p, &result, order);
  return result;
}

template <class T>
HEDDLE_D void __nv_atomic_exchange(T *p, __heddle_value_of<T> *value, __heddle_value_of<T> *result, int order,
                                   HEDDLE_SCOPE) {
  if constexpr (sizeof(T) == 16) {
    __heddle_exchange128((void *)p, value, result);
  } else {
    using Word = __heddle_word_of<T>;
    Word word = __builtin_bit_cast(Word, *value);
    word = order == __NV_ATOMIC_RELAXED ? __atomic_exchange_n((Word *)p, word, __ATOMIC_RELAXED)
                                        : __atomic_exchange_n((Word *)p, word, __ATOMIC_SEQ_CST);
    *result = __builtin_bit_cast(T, word);
  }
}
template <class T> HEDDLE_D T __nv_atomic_exchange_n(T *p, __heddle_value_of<T> value, int order, HEDDLE_SCOPE) {
  T result;
  __nv_atomic_exchange(p, &value, &result, order);
  return result;
}

template <class T> HEDDLE_D void __nv_atomic_store(T *p, __heddle_value_of<T> *value, int order, HEDDLE_SCOPE) {
  T before;
  if constexpr (sizeof(T) == 16)
    __nv_atomic_exchange(p, value, &before, order);
  else if (order == __NV_ATOMIC_RELAXED)
    __atomic_store_n((__heddle_word_of<T> *)p, __builtin_bit_cast(__heddle_word_of<T>, *value), __ATOMIC_RELAXED);
  else
    __atomic_store_n((__heddle_word_of<T> *)p, __builtin_bit_cast(__heddle_word_of<T>, *value), __ATOMIC_SEQ_CST);
}
template <class T> HEDDLE_D void __nv_atomic_store_n(T *p, __heddle_value_of<T> value, int order, HEDDLE_SCOPE) {
  __nv_atomic_store(p, &value, order);
}

#define HEDDLE_FETCH(op)                                                                           \
  template <class T>                                                                               \
  HEDDLE_D T __nv_atomic_fetch_##op(T *p, __heddle_value_of<T> v, int order, HEDDLE_SCOPE) {       \
    return order == __NV_ATOMIC_RELAXED ? __atomic_fetch_##op(p, v, __ATOMIC_RELAXED)              \
                                        : __atomic_fetch_##op(p, v, __ATOMIC_SEQ_CST);             \
  }                                                                                                \
  template <class T>                                                                               \
  HEDDLE_D void __nv_atomic_##op(T *p, __heddle_value_of<T> v, int order, HEDDLE_SCOPE) {          \
    __nv_atomic_fetch_##op(p, v, order);                                                           \
  }
HEDDLE_FETCH(add)
HEDDLE_FETCH(sub)
HEDDLE_FETCH(and)
HEDDLE_FETCH(or)
HEDDLE_FETCH(xor)
HEDDLE_FETCH(min)
HEDDLE_FETCH(max)
#undef HEDDLE_FETCH

HEDDLE_D void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED)
    return;
  if (scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_DEVICE)
    __threadfence();
  else
    __threadfence_system();
}

#undef HEDDLE_SCOPE
#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")

#endif
