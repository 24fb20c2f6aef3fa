# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating point that passes look at: roots in sums, powers, random numbers that are only compared.

Roots are of powers of four, and what is made of them is rounded to a whole number at the end, where an estimate's error is far
from showing. `strict`: with infinities, NaNs and rounded numbers, which -ffast-math leaves open.
"""
import re

from words import text


def roots(r, strict=True):
    """Sums over a loop of what a root gives: forces between bodies, lengths, with few or no terms that are no numbers."""
    block, n, rounds = r.pick(16, 32, 64, 100, 128), r.randint(1, 300), r.pick(0, 1, 3, 17, 33, 64)
    odd = r.pick("none", "few", "many") if strict else "none"
    root = r.pick("rsqrtf(%s)", "rsqrtf(%s)", "rsqrtf(%s)", "1.0f / sqrtf(%s)", "sqrtf(%s)", "powf(%s, -0.5f)", "powf(%s, 1.5f)", "rsqrt((double)%s)", "powf(%s, 2.0f)", "powf(2.0f, %s)")
    argument = r.pick("a[k]", "a[k]", "a[(i + k) % m]", "a[k] * b[i % m]", "tile[k % 16]", "a[i % m] * 4.0f")
    if "powf(2.0f" in root:
        argument = "(b[k] - 1.0f)"
    # What grows is added as it is, and what shrinks has seven binary places at most: whole numbers in the end.
    grows = "rsqrt" not in root and "/" not in root and "-0.5f" not in root
    power = r.pick("y", "y * w") if grows else r.pick("y", "y", "y * y", "y * y * y", "y * y * y * w", "y * w", "w * y * 0.5f")
    term = r.pick("sum = fmaf($p, c[k], sum);", "sum += $p;", "sum += $p * c[k];", "sum -= $p;", "sum = fmaf($p, c[k], sum); other += $p;", "sum += $p; if (y < 0.3f) ++far;",
                  "sum += y > 1.5f ? 0.0f : $p;", "sum = fmaxf(sum, $p);", "sum += $p; c2[i] = y;", "sum = $p - sum;", "sum += fminf($p, 2.0f);").replace("$p", power)
    leave = r.some(r.pick("if (a[k] == 16.0f) break;", "if (sum > 1000.0f) break;", "if (y < 0.6f) continue;"), 0.2)
    before = leave if leave.startswith("if (a") else ""
    guard = r.pick("if (i >= n)\n    return;", "if (i >= n)\n    return;", "if (i < n)", "if (i < n && (i & 1) == 0)")
    kernel = text("""KERNEL kernel(const float *a, const float *b, const float *c, float *c2, int *out, int n, int m, int rounds) {
  SHARED(float, tile, [16]);
  int i = blockIdx.x * blockDim.x + threadIdx.x, far = 0;
  if (threadIdx.x < 16)
    tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  $guard {
    float sum = $start, other = 0.0f;
    for (int k = $first; k < rounds; k += $step) {
      $before
      float w = c[k];
      $type y = $root;
      $after
      $term
    }
    out[i] = __float2int_rz(sum * $places.0f + (sum < 0.0f ? -0.5f : 0.5f));
    out[n + i] = __float2int_rz(other * $places.0f + (other < 0.0f ? -0.5f : 0.5f)) + far;
  }
}
KERNEL round_off(float *c2, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    c2[i] = c2[i] == c2[i] ? floorf(c2[i] * 8.0f + 0.5f) : -1.0f;
}
KERNEL powers(float *a, const unsigned *bits, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = (bits[i] & 1u) != 0 ? 4.0f : 1.0f;
$odd
}
""", guard=guard, start=r.pick("0.0f", "0.0f", "1.0f", "c[0]"), first=r.pick("0", "0", "0", "i % 3", "1"), step=r.pick(1, 1, 1, 2), before=before, after="" if before else leave,
                  type="double" if "double" in root else "float", places=1 if grows else 128, root=root % argument, term=term,
                  odd="" if odd == "none" else "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n    if (bits[i] %% %du == 3u)\n      a[i] = __uint_as_float(%s);" %
                  (97 if odd == "few" else 5, r.pick("0x7f800000u", "0x7fc00000u", "0u", "0xbf800000u", "0x7f7fffffu")))
    m = max(rounds, 16)
    return kernel + text("""static void run() {
  float *a = array<float>($m, 1), *b = array<float>($m, 1), *c = array<float>($m, 5), *c2 = array<float>($n, 3);
  unsigned *bits = array<unsigned>($m, 0), *more = array<unsigned>($m, 0);
  int *out = array<int>(2 * $n, 3);
  LAUNCH(powers, 1, 32, 0, a, bits, $m);
  LAUNCH(powers, 1, 64, 0, b, more, $m);
  LAUNCH(kernel, $grid, $block, 0, a, b, c, c2, out, $n, $m, $rounds);
  LAUNCH(round_off, 1, 32, 0, c2, $n);
  result();
}
""", m=m, n=n, grid=-(-n // block), block=block, rounds=rounds)


def randoms(r, strict=True):
    """Random whole numbers, made to numbers below one by a power of two, or nearly one, and compared."""
    block, n, rounds = r.pick(32, 64, 100, 128), r.randint(1, 300), r.pick(1, 2, 10, 50)
    kind = r.pick("float", "float", "double")
    suffix = "f" if kind == "float" else ""
    bits = r.pick(24, 32, 31, 20) if strict else r.pick(7, 11, 8)
    word = r.pick("unsigned", "unsigned", "int") if bits < 32 else "unsigned"
    scale = lambda: r.pick(2.0 ** -bits, 2.0 ** -bits, 2.0 ** -bits, *([2.0 ** -(bits + 1), 1.0 / 3, 2.0 ** -40, 2.0] if r.chance(0.2) else [2.0 ** -bits]))
    first = scale()
    second = first if r.chance(0.85) else scale()
    if not strict:
        second = first = 2.0 ** -bits
    draw = r.pick("state = state * 1664525u + 1013904223u;", "state ^= state << 13; state ^= state >> 17; state ^= state << 5;", "state = state * 69069u + 1u; state ^= state >> 16;")
    take = f"({word})(state >> {32 - bits})" if bits < 32 else "state"
    limit = r.pick("1.0", "1.0", "0.5", "0.25", "2.0", "0.0", "1e-30", "0.75", "1e-42") + suffix if strict else r.pick("1.0", "0.5", "0.25", "2.0", "0.0", "0.75") + suffix
    test = r.pick("MAD(x, x, __mul(y, y)) < $l", "MAD(x, x, __mul(y, y)) <= $l", "x + y < $l", "x < $l", "x < y", "x + y > x", "__mul(x, y) >= $l", "__mul(__mul(x, y), x) < $l", "x - y == $l",
                  "__mul(__mul(x, y), __mul(x, y)) < $l", "!(MAD(x, y, x) < $l)", "MAD(x, x, y) != $l", "x + y + x < $l").replace("$l", limit).replace("__mul", f"__{suffix or 'd'}mul_rn")
    if not strict:  # no product has a rounding
        test = re.sub(r"__[fd]mul_rn\(([xy]), ([xy])\)", r"\1 * \2", test)
    also = r.some(r.pick("sum = sum * 5u + (unsigned)(long long)(x * 128);", "if (x > y)\n        ++hits;", "last = x;"), 0.3)
    if not strict and "128" in also:
        also = ""
    return text("""KERNEL kernel(const unsigned *seeds, unsigned *out, $kind *lasts, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  $guard
  unsigned state = seeds[i % 256] + i, hits = 0, sum = 0;
  $kind last = 0;
  for (int k = 0; k < rounds; ++k) {
    $draw
    $kind x = $take * ($kind)$first;
    $draw
    $kind y = $take * ($kind)$second;
    if ($test)
      $hit;
    $also
  }
  out[i] = hits * 3u + sum;
  lasts[i] = last;
}
static void run() {
  unsigned *seeds = array<unsigned>(256, 0), *out = array<unsigned>($n, 9);
  $kind *lasts = array<$kind>($n, 3);
  LAUNCH(kernel, $grid, $block, 0, seeds, out, lasts, $n, $rounds);
  result();
}
""", kind=kind, guard="if (i >= n)\n    return;", draw=draw, take=take, first=repr(first), second=repr(second), test=test, hit=r.pick("++hits", "++hits", "hits += k", "break", "sum ^= state"),
                also=also, n=n, grid=-(-n // block), block=block, rounds=rounds)


def bodies(r):
    """Bodies that act on each other, tile by tile: structures in shared memory, some sums a thread, distances that are whole."""
    block, tiles, kind = r.pick(16, 32, 64, 96), r.randint(1, 4), r.pick("float4", "float4", "float2", "int4", "float3")
    members = "xyzw"[:int(kind[-1])]
    total = "int" if "int" in kind else "float"
    n = block * tiles - r.pick(0, 0, 0, 1, 7)
    depth = r.pick(block, block, block, f"min({block}, n - tile)", block // 2)
    used = [m for m in members if r.chance(0.8)] or ["x"]
    lines = [f"        {total} d{m} = there[j].{m} - here.{m};" for m in used]
    weight = " + ".join(f"d{m} * d{m}" for m in used)
    form = r.pick("sum", "sum", "least", "count")
    skip = r.some(r.pick("if (tile + j == i)\n          continue;", "if (d%s == 0)\n          break;" % used[0], "if (d%s > 2)\n          continue;" % used[0]), 0.25)
    if form == "sum":
        lines += [f"        {total} s = {weight};"] + [f"        sum.{m} = MAD(d{m}, s, sum.{m});" for m in used]
    elif form == "least":
        lines += [f"        {total} s = {weight};", "        if (s < best) {", "          best = s;", "          at = tile + j;", "        }"]
    else:
        lines += [f"        if ({weight} <= {r.randint(0, 12)})", "          ++at;"]
    lines.insert(len(used), "        " + skip)
    guard = r.pick("load", "load", "leave") if n % block == 0 else "load"
    aliases = r.chance(0.2)
    return text("""KERNEL kernel(const $kind *in, $kind *out, int *found, int n) {
  SHARED($kind, there, [$block]);
  int t = threadIdx.x, i = blockIdx.x * $block + t, at = 0;
  $kind here = in[i < n ? i : 0], sum = here;
  $total best = 100000;
  for (int tile = 0; tile < n; tile += $block) {
    $fill
    __syncthreads();
    if (i < n)
      for (int j = 0; j < $depth$more; ++j) {
$lines
      }
    __syncthreads();
  }
  if (i < n) {
    out[i] = sum;
    found[i] = at + (int)best % 1000;
  }
}
static void run() {
  $kind *in = ($kind *)array<$total>($count, 5), *out = ($kind *)array<$total>($count, 3);
  int *found = array<int>($n, 2);
  LAUNCH(kernel, $tiles, $block, 0, in, $out, found, $n);
  result();
}
""", kind=kind, total=total, block=block, fill="there[t] = in[tile + t];" if guard == "leave" else r.pick("if (tile + t < n)\n      there[t] = in[tile + t];", "there[t] = in[tile + t < n ? tile + t : 0];",
                                                                                                          "there[t] = tile + t < n ? in[tile + t] : in[0];"),
                depth=depth, more=" && tile + j < n" if n % block or r.chance(0.2) else "", lines="\n".join(lines), count=(n + block) * len(members), n=n, tiles=tiles,
                out="in" if aliases and tiles == 1 else "out")
