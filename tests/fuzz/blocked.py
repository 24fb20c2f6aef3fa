# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices with several sums a thread, transpositions through a tile, sums with a constant factor."""
from words import dim, text


def blocked(r):
    """A product of matrices with a square of sums in each thread's registers."""
    kind = r.pick("float", "float", "float", "int", "double")
    each_m, each_n = r.pick(1, 2, 4, 4, 8), r.pick(1, 2, 4, 4)
    tx, ty, depth = r.pick(4, 8, 16), r.pick(4, 8, 16), r.pick(4, 8, 8, 16)
    depth = min(depth, 64 // (each_m * each_n))  # products that are unrolled, each of as many registers as the program has
    high, wide, threads = each_m * ty, each_n * tx, tx * ty
    m, n, k = r.pick(high, 2 * high, r.randint(1, 2 * high)), r.pick(wide, 2 * wide, r.randint(1, 2 * wide)), depth * r.randint(0, 4) + r.pick(0, 0, 0, 1, depth - 1)
    spread = r.chance(0.4)  # a thread's columns lie apart by the number of threads, or side by side
    column = lambda j: f"tx + {j} * {tx}" if spread else f"tx * {each_n} + {j}"
    exact = m % high == 0 and n % wide == 0 and k % depth == 0 and r.chance(0.7)
    guard_a = "true" if exact else r.pick("row0 + r < m && start + q < k", "start + q < k && row0 + r < m")
    guard_b = "true" if exact else r.pick("start + q < k && column0 + j < n", "column0 + j < n && start + q < k")
    ahead = r.chance(0.3)
    swap = r.chance(0.5)
    place_a = "tileA[q][r]" if swap else "tileA[r][q]"
    read_a = f"tileA[q][ty * {each_m} + i]" if swap else f"tileA[ty * {each_m} + i][q]"
    fill = f"""    for (int e = t; e < {high * depth}; e += {threads}) {{
      int r = e / {depth}, q = e % {depth};
      {place_a} = {guard_a} ? a[(row0 + r) * k + start + q] : 0;
    }}
    for (int e = t; e < {depth * wide}; e += {threads}) {{
      int q = e / {wide}, j = e % {wide};
      tileB[q][j] = {guard_b} ? b[(start + q) * n + column0 + j] : 0;
    }}"""
    again = "    __syncthreads();"
    leave = r.some(r.pick("    if (stops[start / %d] == 0)\n      break;" % depth, "    if (stop == start)\n      break;"), 0.15)
    patch = r.some(r.pick(f"    if (t == 0)\n      tileB[0][{r.randint(0, wide - 1)}] = 2;\n    __syncthreads();", "    if (start == 0 && tx == 1)\n      c[0] = 1;"), 0.12)
    if "c[0]" in patch:
        patch = ""
    load = "" if not ahead else f"""    {kind} next = 0;
    if (start + {depth} < k)
      next = a[(start + {depth} + t) % (m * k)];"""
    use = "" if not ahead else f"    if (start + {depth} < k)\n      last = next;"
    order = r.pick("q = 0; q < %d; ++q" % depth, "q = 0; q < %d; ++q" % depth, "q = %d; q >= 0; --q" % (depth - 1), "q = 0; q < %d && start + q < k; ++q" % depth)
    store = r.pick("=", "=", "+=")
    kernel = text("""KERNEL kernel(int m, int n, int k, const $kind *a, const $kind *b, $kind *c, $kind *d, const int *stops, int stop) {
  SHARED($kind, tileA, [$first][$second]);
  SHARED($kind, tileB, [$depth][$wide]);
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * $tx + tx, row0 = blockIdx.y * $high, column0 = blockIdx.x * $across;
  $kind sum[$each_m][$each_n] = {}, last = 0;
  for (int start = 0; start < k; start += $depth) {
$fill
    __syncthreads();
$patch
$load
    for (int $order) {
      $kind x[$each_m], y[$each_n];
      for (int i = 0; i < $each_m; ++i)
        x[i] = $read_a;
      for (int j = 0; j < $each_n; ++j)
        y[j] = tileB[q][$column];
      for (int i = 0; i < $each_m; ++i)
        for (int j = 0; j < $each_n; ++j)
          sum[i][j] = MAD(x[i], y[j], sum[i][j]);
    }
$again
$use
$leave
  }
  for (int i = 0; i < $each_m; ++i)
    for (int j = 0; j < $each_n; ++j)
      if (row0 + ty * $each_m + i < m && column0 + $column < n)
        c[(row0 + ty * $each_m + i) * n + column0 + $column] $store sum[i][j];
  d[(blockIdx.y * gridDim.x + blockIdx.x) * $threads + t] = last;
}
""", kind=kind, first=(depth if swap else high) , second=(high if swap else depth) + r.pick(0, 0, 1, 4), depth=depth, wide=wide + r.pick(0, 0, 4), tx=tx, high=high, across=wide, each_m=each_m,
                  each_n=each_n, fill=fill, patch=patch, load=load, order=order, read_a=read_a, column=column("j"), again=again, use=use, leave=leave, store=store, threads=threads)
    grid = (-(-n // wide), -(-m // high))
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($a, 5), *b = array<$kind>($b, 5), *c = array<$kind>($c, 3), *d = array<$kind>($d, 2);
  int *stops = array<int>(16, 9);
  LAUNCH(kernel, $grid, $block, 0, $m, $n, $k, a, $second, c, d, stops, $stop);
  result();
}
""", kind=kind, a=max(m * k, 1) + n * k, b=max(n * k, 1), c=m * n, d=grid[0] * grid[1] * threads, grid=dim(grid), block=dim((tx, ty)), m=m, n=n, k=k, second=r.pick("b", "b", "b", "a"),
                         stop=r.pick(-1, depth))


def transposes(r):
    """A tile that is read by columns, or turned round; rows of threads that go several times over it."""
    kind = r.pick("float", "float", "int", "double", "unsigned char", "short", "unsigned long long")
    size, rows = r.pick((32, 8), (32, 32), (16, 16), (16, 4), (8, 8), (32, 4), (64, 8), (20, 5))
    grid = (r.randint(1, 3), r.randint(1, 2))
    w, h = grid[0] * size - r.pick(0, 0, 0, 1, 5), grid[1] * size - r.pick(0, 0, 0, 1, 3)
    exact = w % size == 0 and h % size == 0 and r.chance(0.6)
    index = r.pick("int", "int", "unsigned")
    read = r.pick("tile[tx][ty + j]", "tile[tx][ty + j]", "tile[tx][ty + j]", f"tile[{size - 1} - tx][ty + j]", f"tile[ty + j][{size - 1} - tx]", f"tile[{size - 1} - ty - j][tx]", f"tile[(tx + ty + j) % {size}][ty + j]")
    turned = "tile[tx]" in read or "- tx][ty" in read or "% " in read
    value = r.pick("$v", "$v", f"({kind})($v + 1)", f"({kind})($v * (tx & 3))", f"({kind})($v + tile[ty + j][tx])").replace("$v", read)
    inside = f"(int)(y0 + tx) < h && (int)(x0 + ty + j) < w" if turned else "(int)(x0 + tx) < w && (int)(y0 + ty + j) < h"
    to = "(x0 + ty + j) * h + y0 + tx" if turned else "(y0 + ty + j) * w + x0 + tx"
    guard_in = "true" if exact else "(int)(x0 + tx) < w && (int)(y0 + ty + j) < h"
    guard_out = "true" if exact else inside + r.some(" && (tx & 1) == 0", 0.1)
    otherwise = "" if exact else f"\n    else\n      tile[ty + j][tx] = {r.pick(0, 7)};"
    twice = r.some(f"""  __syncthreads();
  for (int j = 0; j < {size}; j += {rows})
    tile[ty + j][tx] = ({kind})(tile[ty + j][tx] * 2);
  __syncthreads();""", 0.2)
    return text("""KERNEL kernel(int w, int h, const $kind *in, $kind *out) {
  SHARED($kind, tile, [$size][$pitch]);
  $index tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * $size, y0 = blockIdx.y * $size;
  for (int j = 0; j < $size; j += $rows)
    if ($guard_in)
      tile[ty + j][tx] = in[(y0 + ty + j) * w + x0 + tx];$otherwise
  __syncthreads();
$twice
  for (int j = 0; j < $size; j += $rows)
    if ($guard_out)
      out[$to] = $value;
}
static void run() {
  $kind *a = array<$kind>($count, 9), *b = array<$kind>($count, 5);
  LAUNCH(kernel, $grid, $block, 0, $w, $h, a, $out);
  result();
}
""", kind=kind, size=size, pitch=size + r.pick(0, 1, 1), index=index, rows=rows, guard_in=guard_in, otherwise=otherwise, twice=twice, guard_out=guard_out, to=to, value=value,
                count=2 * w * h, grid=dim(grid), block=dim((size, rows)), w=w, h=h, out=r.pick("b", "b", f"a + {w * h}"))


def scaled(r):
    """Sums whose addends have a constant factor, or some of them, or nearly the same."""
    kind = r.pick("float", "float", "double", "int")
    suffix = {"float": ".0f", "double": ".0", "int": ""}[kind]
    block, n, rounds = r.pick(32, 64, 100), r.randint(1, 250), r.randint(0, 40)
    factor = r.pick("2", "4", "3", "16", "32")
    other = factor if r.chance(0.8) else r.pick("2", "5")
    addend = lambda f: r.pick(f"{f}{suffix} * (a[k] * b[i % 32])", f"{f}{suffix} * a[k] * b[k]", f"a[k] * ({f}{suffix} * b[i % 32])", f"{f}{suffix} * a[(i + k) % 64]", f"({f}{suffix} * a[k]) * b[k]")
    lines = [f"    sum {r.pick('+=', '+=', '-=')} {addend(factor)};", f"    second {r.pick('+=', '-=')} {addend(other)};"]
    if r.chance(0.3):
        lines.append(r.pick(f"    sum += {addend(other)};", "    sum += a[k];", "    if (sum > 40)\n      second += 1;", "    out[n + i] = sum;", "    sum = second - sum;"))
    return text("""KERNEL kernel(int n, int rounds, const $kind *a, const $kind *b, $kind *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  $kind sum = $start, second = 0;
  for (int k = 0; k < rounds; ++k) {
$lines
  }
  out[i] = $end;
}
static void run() {
  $kind *a = array<$kind>(64, 5), *b = array<$kind>(64, 5), *out = array<$kind>($count, 3);
  LAUNCH(kernel, $grid, $block, 0, $n, $rounds, a, b, out);
  result();
}
""", kind=kind, start=r.pick("0", "0", "0", "1", "out[i]"), lines="\n".join(lines), end=r.pick("sum + second", "sum - second * 2", "sum", "second"), count=2 * n, grid=-(-n // block), block=block, n=n,
                rounds=rounds)
