// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void search(int n, int length, global const uchar *text, global const uchar *pattern,
                   global uchar *found) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  int k = 0;
  while (k < length && text[i + k] == pattern[k])
    ++k;
  found[i] = k == length;
}
