// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver includes this in sources whose arrays of variable length have initial values
// (src/tool/sources/variable_arrays.cpp); programs never do.
#ifndef HEDDLE_VARIABLE_ARRAYS_H
#define HEDDLE_VARIABLE_ARRAYS_H

template <class T> struct __heddle_scalar {
  typedef T type;
};
template <class T, __SIZE_TYPE__ Count> struct __heddle_scalar<T[Count]> : __heddle_scalar<T> {};

template <class T> using __heddle_list = T[];

template <class T> inline void __heddle_assign(T &to, const T &from) { to = from; }
template <class T, __SIZE_TYPE__ Count>
inline void __heddle_assign(T (&to)[Count], const T (&from)[Count]) {
  for (__SIZE_TYPE__ i = 0; i < Count; ++i)
    __heddle_assign(to[i], from[i]);
}

/// Gives the elements of an array their initial values: those of the list, and zeros behind them.
/// Returns its first scalar. Values that do not fit in are left out.
template <class T>
inline typename __heddle_scalar<T>::type &__heddle_fill(T *array, __SIZE_TYPE__ bytes) {
  typedef typename __heddle_scalar<T>::type Scalar;
  Scalar *scalars = reinterpret_cast<Scalar *>(array);
  for (__SIZE_TYPE__ i = 0; i < bytes / sizeof(Scalar); ++i)
    scalars[i] = Scalar();
  return *scalars;
}
template <class T, __SIZE_TYPE__ Count>
inline typename __heddle_scalar<T>::type &__heddle_fill(T *array, __SIZE_TYPE__ bytes,
                                                        const T (&values)[Count]) {
  typename __heddle_scalar<T>::type &first = __heddle_fill(array, bytes);
  for (__SIZE_TYPE__ i = 0; i < Count && i < bytes / sizeof(T); ++i)
    __heddle_assign(array[i], values[i]);
  return first;
}

#endif
