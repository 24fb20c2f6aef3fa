# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that launch kernels: chains in a block's stream, grids beside each other, grids at the end, recursion."""
from words import text


def chains(r):
    """Each block of the parent launches some grids on its own part of an array."""
    size, blocks, block = r.pick(7, 32, 50, 96, 128), r.randint(1, 5), r.pick(1, 32, 40, 64)
    lines = []
    for _ in range(r.randint(1, 4)):
        form = r.pick("scale", "scale", "shift", "count")
        arguments = {"scale": f"part, {size}, {r.randint(1, 7)}u + blockIdx.x", "shift": f"part, {size}, {r.randint(0, 40)}",
                     "count": f"part, {size}, counts"}[form]
        guard = r.some(f"if ({r.pick('blockIdx.x % 2 == 0', 'isOdd', 'first[blockIdx.x] > 50u')})\n      ", 0.4)
        if form == "count" and r.chance(0.5) and not lines:  # beside those that change the part it would be open what it sees
            lines.append(f"    {guard}CHILD_ASIDE(marks, {r.randint(1, 3)}, {r.pick(1, 32, 64)}, counts, {r.randint(0, 9)}u + blockIdx.x);")
        else:
            shape = r.pick(f"1, {r.pick(1, 32, 33, 64, 128)}", f"{r.randint(1, 4)}, {r.pick(32, 48)}") if form != "shift" else f"1, {r.pick(1, 32, 64)}"
            lines.append(f"    {guard}CHILD({form}, {shape}, {arguments});")
    if r.chance(0.5):
        lines.append("    if (blockIdx.x == 0)\n      CHILD_LAST(closing, 1, 32, data, counts, %d);" % (size * blocks))
    return text("""KERNEL scale(unsigned *part, int n, unsigned factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    part[i] = part[i] * factor + i;
}
KERNEL shift(unsigned *part, int n, int by) {
  for (int begin = 0; begin < n; begin += blockDim.x) {
    int i = begin + threadIdx.x;
    unsigned value = i < n ? part[(i + by) % n] : 0u;
    __syncthreads();
    if (i < n)
      part[i] = value + by;
    __syncthreads();
  }
}
KERNEL count(const unsigned *part, int n, unsigned *counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[part[i] % 16u], 1u);
}
KERNEL marks(unsigned *counts, unsigned v) {
  atomicXor(&counts[16 + v % 16u], 1u << threadIdx.x % 32u);
}
KERNEL closing(unsigned *data, const unsigned *counts, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] ^= counts[i % 32];
}
KERNEL parent(unsigned *data, const unsigned *first, unsigned *counts) {
  unsigned *part = data + blockIdx.x * $size;
  for (int i = threadIdx.x; i < $size; i += blockDim.x)
    part[i] += first[i];
  __syncthreads();
  bool isOdd = part[0] % 2u != 0;
  __syncthreads();
  if (threadIdx.x == $leader) {
$lines
  }
}
static void run() {
  unsigned *data = array<unsigned>($total, 0), *first = array<unsigned>(128, 100), *counts = array<unsigned>(32, 1);
  LAUNCH(parent, $blocks, $block, 0, data, first, counts);
  result();
  LAUNCH(parent, $blocks, $block, 0, data, first, counts);
  LAUNCH(count, 2, 64, 0, data, $total, counts);
  result();
}
""", size=size, lines="\n".join(lines), leader=r.randint(0, block - 1), total=size * blocks, blocks=blocks, block=block)


def divisions(r):
    """Recursion: a grid works on a range and launches itself on parts of it, down to short ones."""
    n, short, block = r.randint(1, 400), r.randint(3, 40), r.pick(1, 32, 64)
    ways = r.pick(2, 2, 3)
    launch = r.pick("CHILD", "CHILD_ASIDE", "CHILD_LAST")
    place = r.pick("each", "first")  # who launches: a thread for each part, or one for all
    one = f"{launch}(divide, 1, {r.pick('blockDim.x', block)}, data, begin + k * part, end - begin - k * part < part ? end : begin + (k + 1) * part, depth + 1, grids);"
    body = f"if (threadIdx.x < {ways}) {{\n    int k = threadIdx.x;\n    if (begin + k * part < end)\n      {one}\n  }}" if place == "each" and block >= ways else \
        f"if (threadIdx.x == 0)\n    for (int k = 0; k < {ways} && begin + k * part < end; ++k)\n      {one}"
    return text("""KERNEL divide(unsigned *data, int begin, int end, int depth, unsigned *grids) {
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
    data[i] = data[i] * 3u + depth;
  if (threadIdx.x == 0)
    atomicAdd(&grids[depth], 1u);
  __syncthreads();
  if (end - begin <= $short || depth >= $deepest)
    return;
  int part = (end - begin + $less) / $ways;
  $body
}
static void run() {
  unsigned *data = array<unsigned>($n, 0), *grids = array<unsigned>(24, 1);
  LAUNCH(divide, 1, $block, 0, data, $begin, $n, 0, grids);
  result();
}
""", short=short, deepest=r.randint(0, 6), less=ways - 1, ways=ways, body=body, n=n, begin=r.randint(0, n - 1) if r.chance(0.2) else 0, block=block)
