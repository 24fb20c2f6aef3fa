// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that each look back along a column of earlier blocks until they find a sum of all before, and publish their
// own as they leave the loop; by votes among those that go on, and without. As sorts of digits do.
#include "support.h"

constexpr unsigned Total = 1u << 31, Part = 1u << 30, Value = Part - 1;

/// The sums of the columns of in[block][columns] up to each block.
template <bool Votes, int Threads>
__global__ void columnSums(const unsigned *in, unsigned *out, unsigned *states, unsigned *ticket, int columns) {
  __shared__ unsigned number;
  if (threadIdx.x == 0)
    number = atomicAdd(ticket, 1);
  __syncthreads();
  const int block = int(number), t = int(threadIdx.x);
  __shared__ unsigned before[Threads];
  if (t < columns) {
    const unsigned own = in[block * columns + t];
    before[t] = 0;
    volatile unsigned *state = states + block * columns + t;
    *state = (block == 0 ? Total : Part) | own;
    unsigned sum = own, mask = ~0u;
    for (int other = block - 1; other >= 0; other--) {
      unsigned seen;
      do {
        __threadfence_block();
        seen = *(volatile unsigned *)(states + other * columns + t);
      } while (seen == 0);
      sum += seen & Value;
      // Only whole warps may name all lanes before the first turn.
      if (Votes)
        mask = __ballot_sync(mask, (seen & Total) == 0);
      if (seen & Total)
        break;
    }
    *state = Total | sum;
    before[t] += sum - own;
  }
  __syncthreads();
  if (t < columns)
    out[block * columns + t] = before[columns - 1 - t];
}

template <bool Votes, int Threads> void test(Random &random, int blocks, int columns) {
  std::vector<unsigned> in(size_t(blocks) * columns), want(in.size()), sums(columns);
  for (unsigned &x : in)
    x = random.below(5000);
  for (int b = 0; b < blocks; b++) {
    for (int c = 0; c < columns; c++)
      want[size_t(b) * columns + columns - 1 - c] = sums[c];
    for (int c = 0; c < columns; c++)
      sums[c] += in[size_t(b) * columns + c];
  }
  Buffer<unsigned> source(in), out(in.size()), states(in.size()), ticket(1);
  columnSums<Votes, Threads><<<blocks, Threads>>>(source, out, states, ticket, columns);
  checkLaunch();
  expectAll(Votes ? "with votes" : "without votes", out.get(), want);
}

int main() {
  Random random(3);
  for (int blocks : {1, 7, 150}) {
    test<true, 128>(random, blocks, 96);
    test<true, 64>(random, blocks, 64);
    test<false, 96>(random, blocks, 77);
    test<false, 32>(random, blocks, 5);
  }
  return finish();
}
