# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations whose order does not matter: histograms, sums of clusters, minima, flags; what follows reads them."""
from words import SHAPES_1D, accumulator, text


def histogram(r):
    """Counts in shared memory, then in global memory."""
    kind = r.pick("unsigned char", "unsigned char", "unsigned", "unsigned short", "signed char")
    bins = r.pick(16, 32, 64, 100, 256)
    block, grid = r.pick(32, 64, 128, 256, 100), r.randint(1, 4)
    n = r.pick(r.randint(0, 400), r.randint(400, 3000), 20000 if r.chance(0.15) else 500)
    which = r.pick(f"(unsigned)v % {bins}u", f"(unsigned)v % {bins}u", f"((unsigned)v >> 2) % {bins}u", f"((unsigned)v * 7u + 3u) % {bins}u", f"((unsigned)v & 15u)", f"((unsigned)v & 3u) * 4u + (t & 3u)")
    add = r.pick("1", "1", "1", "2", "(unsigned)v & 3u", "t", "i & 1")
    op = r.pick("atomicAdd", "atomicAdd", "atomicAdd", "atomicMax", "atomicOr", "atomicXor")
    guard = r.pick("", "", "", "if (v != 3)\n      ", "if ((i & 1) == 0)\n      ")
    walk = r.pick("for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)", f"for (unsigned i = blockIdx.x * {n // grid + 1} + t; i < n && i < (blockIdx.x + 1) * {n // grid + 1}; i += blockDim.x)")
    shared = r.chance(0.75)
    flush = r.pick("atomicAdd(&out[k], counts[k]);", "atomicAdd(&out[k], counts[k]);", "if (counts[k])\n      atomicAdd(&out[k], counts[k]);", f"out[blockIdx.x * {bins} + k + {bins}] = counts[k];",
                   f"atomicAdd(&out[k], counts[k] * (1u + other[k & 7u]));")
    after = r.pick("", "", f"  __syncthreads();\n  if (t < {bins} && blockIdx.x == 0 && gridDim.x == 1)\n    out[{bins} * (grid + 1) + t] = out[t];",
                   f"  __syncthreads();\n  if (t < 8)\n    more[blockIdx.x * 8 + t] = other[t];")
    bytes4 = kind == "unsigned char" and r.chance(0.3)
    if shared:
        kernel = text("""KERNEL kernel(const $kind *in, unsigned *out, const unsigned *other, unsigned *more, unsigned n, unsigned grid) {
  SHARED(unsigned, counts, [$bins]);
  unsigned t = threadIdx.x;
  for (unsigned k = t; k < $bins; k += blockDim.x)
    counts[k] = $zero;
  __syncthreads();
  $walk {
    $kind v = in[i];
    $guard$op(&counts[$which], $add);
  }
  __syncthreads();
  for (unsigned k = t; k < $bins; k += blockDim.x)
    $flush
$after
}
""", kind=kind, bins=bins, walk=walk, guard=guard, op=op, which=which, add=add, flush=flush, after=after, zero=r.pick("0", "0", "k"))
    else:
        kernel = text("""KERNEL kernel(const $kind *in, unsigned *out, const unsigned *other, unsigned *more, unsigned n, unsigned grid) {
  unsigned t = threadIdx.x;
  $walk {
    $kind v = in[i];
    $guard$op(&out[$which], $add);
    $also
  }
}
""", kind=kind, walk=walk, guard=guard, op=op, which=which, add=add, also=r.pick("", "", "more[i] = other[i & 63u];", "atomicAdd(&more[0], other[i & 7u]);"))
    # `other` may lie in the same allocation as the counts, where nobody counts.
    size = bins * (2 * grid + 4)
    other = r.pick("other", f"out + {size}")
    return kernel + text("""static void run() {
  $kind *in = array<$kind>($n, 0);
  unsigned *out = array<unsigned>($size + 64, 4), *other = array<unsigned>(64, 9), *more = array<unsigned>($n + 64, 3);
  for (int k = 0; k < $times; ++k)
    LAUNCH(kernel, $grid, $block, 0, in, out, $other, more, $n, $grid);
  result();
}
""", kind=kind, n=n, size=size, grid=grid, block=block, other=other, times=r.pick(1, 2))


def clusters(r):
    """Threads add the members of a structure, or rows, to sums that they find by a number."""
    kind = r.pick("float", "float", "int", "unsigned", "double")
    width, groups = r.pick(1, 2, 3, 4, 8), r.pick(1, 3, 8, 16)
    block, grid, n = r.choice(SHAPES_1D), r.randint(1, 3), r.randint(1, 600)
    block = min(block, 512)
    op = "atomicAdd" if kind in ("float", "double") else r.pick("atomicAdd", "atomicAdd", "atomicMin", "atomicMax")
    order = r.pick("for (int d = 0; d < width; ++d)", f"for (int d = 0; d < {width}; ++d)", f"for (int d = {width} - 1; d >= 0; --d)")
    address = r.pick(f"g * {width} + d", f"g * {width} + d", f"d * {groups} + g", f"g * {width} + (d + 1) % {width}")
    extra = r.pick("", "", f"atomicAdd(&counts[g], 1u);", "if (g == 1)\n      atomicAdd(&counts[g], 2u);")
    space = r.chance(0.7)
    where = "sums" if space else "out"
    kernel = text("""KERNEL kernel(const $kind *in, const unsigned *which, $kind *out, unsigned *number, int n, int width) {
  SHARED($kind, sums, [$cells]);
  SHARED(unsigned, counts, [$groups]);
  int t = threadIdx.x;
  for (int k = t; k < $cells; k += blockDim.x)
    sums[k] = 0;
  for (int k = t; k < $groups; k += blockDim.x)
    counts[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    unsigned g = which[i] % $groups;
    $order
      $op(&$where[$address], in[i * $width + d]);
    $extra
  }
  __syncthreads();
  for (int k = t; k < $cells; k += blockDim.x)
    $op(&out[k], sums[k]);
  for (int k = t; k < $groups; k += blockDim.x)
    atomicAdd(&number[k], counts[k]);
}
""", kind=kind, cells=width * groups, groups=groups, order=order, op=op, where=where, address=address, width=width, extra=extra)
    return kernel + text("""static void run() {
  $kind *in = array<$kind>($count, 9), *out = array<$kind>($cells, 5);
  unsigned *which = array<unsigned>($n, 0), *number = array<unsigned>($groups, 3);
  LAUNCH(kernel, $grid, $block, 0, in, which, out, number, $n, $width);
  result();
}
""", kind=kind, count=n * width, cells=width * groups, n=n, groups=groups, grid=grid, block=block, width=width)


def extremes(r):
    """Operations on global memory that may change nothing; old values are used only where any order gives the same."""
    kind = r.pick("int", "unsigned", "unsigned long long", "long long")
    cells, block, grid, n = r.pick(1, 4, 64), min(512, r.choice(SHAPES_1D)), r.randint(1, 5), r.randint(1, 900)
    ops = r.sample(["atomicMin", "atomicMax", "atomicAnd", "atomicOr"] + ([] if kind == "long long" else ["atomicXor", "atomicAdd"]), 2)
    value = r.pick("in[i]", "in[i]", f"({kind})i", f"in[i] >> 3", f"({kind})(in[i] & 255)", f"({kind})1 << (i & 31)")
    at = r.pick(f"i % {cells}", f"in[i] & {cells - 1}", "0", f"(i / 32) % {cells}", f"threadIdx.x % {cells}")
    guard = r.pick("i < n", "i < n", "i < n && in[i] != 5", "i < n && (i & 3) == 1")
    second = r.some(f"    {ops[1]}(&b[{r.pick('0', at)}], {value});", 0.6)
    kernel = text("""KERNEL kernel(const $kind *in, $kind *a, $kind *b, int n, unsigned *tickets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ($guard) {
    $op(&a[$at], $value);
$second
  }
$ticket
}
""", kind=kind, guard=guard, op=ops[0], at=at, value=value, second=second,
                  ticket=r.some("  unsigned mine = atomicAdd(tickets, 1u);\n  tickets[1 + mine] = 7;", 0.4))
    return kernel + text("""static void run() {
  $kind *in = array<$kind>($n, $limit), *a = array<$kind>($cells, $limit), *b = array<$kind>($cells, $limit);
  unsigned *tickets = array<unsigned>($threads, 1);
  LAUNCH(kernel, $grid, $block, 0, in, a, b, $n, tickets);
  result();
}
""", kind=kind, n=n, limit=r.pick(0, 100, 1000), cells=cells, threads=grid * block + 1, grid=grid, block=block)
