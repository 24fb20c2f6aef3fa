# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that count bits and bytes, search, choose, find their places by remainders, or are a block each."""
from words import accumulator, dim, text


def bits(r):
    """Loops over the bits of a word: how many there are, what stands at each."""
    kind = r.pick("unsigned", "unsigned", "unsigned long long", "unsigned char", "int")
    block, n = r.pick(32, 64, 100, 256), r.randint(1, 300)
    clear = r.pick("x &= x - 1", "x &= x - 1", "x &= x - 1", "x = x & (x - 1)", "x &= ~(x & (0 - x))", "x >>= 1", "x ^= x & (0u - x)")
    if kind == "int":
        clear = r.pick("x = (int)((unsigned)x & ((unsigned)x - 1u))", "x = (int)((unsigned)x >> 1)")
    body = r.pick("++count;", "++count;", "count += 2;", "count ^= 1;", "count += x & 1 ? 1 : 0;", "count += (int)(x & 7);", "sum += a[count & 15]; ++count;", "++count; if (count > %d) break;" % r.randint(1, 30))
    head = r.pick(f"while (x) {{ {body} {clear}; }}", f"while (x != 0) {{ {clear}; {body} }}", f"for (; x; {clear}) {{ {body} }}", f"for (; x; {clear}) {{ {body} }}")
    rounds = r.pick(1, 1, 3)
    return text("""KERNEL kernel(const $kind *words, const unsigned *a, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned total = 0;
  if (i < n) {
    for (int k = 0; k < $rounds; ++k) {
      $kind x = $start;
      int count = $first;
      unsigned sum = 0;
      $head
      total += count + sum;
    }
    out[i] = total;
  }
}
static void run() {
  $kind *words = array<$kind>($count, 0);
  unsigned *a = array<unsigned>(16, 9), *out = array<unsigned>($n, 1);
  LAUNCH(kernel, $grid, $block, 0, words, a, out, $n);
  result();
}
""", kind=kind, rounds=rounds, start=r.pick("words[i + k]", "words[i + k]", f"words[i + k] & {r.randint(0, 255)}", f"({kind})(words[i] ^ words[i + k])"), first=r.pick(0, 0, 0, 3), head=head, count=n + 4, n=n,
                grid=-(-n // block), block=block)


def searches(r):
    """Each thread tries until it has found something: divisors, words, common divisors, steps of a sequence."""
    block, n = r.pick(32, 64, 128, 100), r.randint(1, 250)
    index = r.pick("int", "unsigned", "unsigned", "long long")
    what = r.pick("divisor", "divisor", "word", "euclid", "steps", "root", "table")
    found = r.pick("found = d; break;", "found = d; break;", "++found;", "found += d; if (found > 30) break;", "return;", "found = d; if ((i & 1) == 0) break;")
    body = {
        "divisor": f"for ({index} d = 2; d * d <= x; d += {r.pick(1, 1, 2)})\n    if (x % d == 0) {{ {found} }}",
        "word": f"for ({index} d = 0; d < 6; ++d) {{\n    if (text[(i + d) % 256] != text[d]) {{ {found} }}\n    found += 2;\n  }}",
        "euclid": "%s y = (%s)(i %% 30 + 1);\n  while (y != 0) {\n    %s z = x %% y;\n    x = y;\n    y = z;\n  }\n  found = x;" % (index, index, index),
        "steps": f"while (x != 1 && found < {r.randint(5, 60)}) {{\n    x = x % 2 == 0 ? x / 2 : x * 3 + 1;\n    ++found;\n  }}",
        "root": f"{index} low = 0, high = 64;\n  while (low < high) {{\n    {index} middle = (low + high) / 2;\n    if (middle * middle < x)\n      low = middle + 1;\n    else\n      high = middle;\n  }}\n  found = low;",
        "table": f"for ({index} d = x % 64; starts[d] != {r.randint(0, 3)}; d = (d * 5 + 1) % 64) {{\n    ++found;\n    if (found > 70)\n      break;\n  }}",
    }[what]
    return text("""KERNEL kernel(int n, const unsigned char *text, const int *starts, int *out, int *more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  $index x = ($index)(starts[i % 64] * $scale + i + 1), found = 0;
  $body
  out[i] = (int)found;
$behind
}
static void run() {
  unsigned char *text = array<unsigned char>(256, $letters);
  int *starts = array<int>(64, $limit), *out = array<int>($n, 3), *more = array<int>($n, 3);
  LAUNCH(kernel, $grid, $block, 0, $n, text, starts, out, more);
  result();
}
""", index=index, scale=r.pick(1, 7, 30), body=body, behind=r.some("  more[i] = out[i] + (int)x;", 0.4), letters=r.pick(2, 3, 200), limit=r.pick(40, 100, 4), n=n, grid=-(-n // block), block=block)


def lonely(r):
    """Blocks of one thread, or of very few, in one or two dimensions."""
    kind = r.pick("float", "int", "unsigned char", "double", "short")
    block = r.pick((1,), (1,), (1,), (1, 1), (2,), (1, 2), (3,))
    grid = r.pick((r.randint(1, 300),), (r.randint(1, 140), r.randint(1, 4)), (r.randint(1, 20), 2, 2))
    count = 1
    for length in (*grid, *block):
        count *= length
    n = r.pick(count, count, max(1, count - 1), count // 2 + 1)
    shared = r.chance(0.15)
    body = r.pick("out[i] = (K)(in[i] + 1);", "out[i] = (K)(in[i] * 2 + in[n - 1 - i]);", "for (int k = 0; k < (int)(i % 5); ++k)\n      out[i] = (K)(out[i] + in[k]);", "if (in[i] > 2)\n      out[i] = in[i];",
                  "total += (int)in[i];\n    out[i] = (K)(total & 7);", "__syncthreads();\n    out[i] = in[i];", "atomicAdd(&sums[i % 3], (int)in[i]);", "out[in_order[i]] = in[i];",
                  "if (i == 3)\n      return;\n    out[i] = 1;").replace("(K)", f"({kind})")
    if "__syncthreads" in body and block != (1,):
        body = body.replace("__syncthreads();\n    ", "")
    guard = r.pick("if (i < n)", "if (i < n)", "if (n > i && (i & 1) == 0)")
    return text("""KERNEL kernel(int n, const $kind *in, $kind *out, int *sums, const int *in_order) {
$shared
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int i = block * $threads + threadIdx.x + threadIdx.y * blockDim.x, total = $start;
  $guard {
    $body
  }
}
KERNEL turned(int *in_order, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    in_order[i] = n - 1 - i;
}
static void run() {
  $kind *in = array<$kind>($count, 5), *out = array<$kind>($count, 3);
  int *sums = array<int>(4, 3), *in_order = array<int>($count, 1);
  LAUNCH(turned, 1, 32, 0, in_order, $n);
  LAUNCH(kernel, $grid, $block, 0, $n, in, out, sums, in_order);
  result();
}
""", kind=kind, shared=f"  SHARED(int, cell, [4]);\n  cell[threadIdx.x] = (int)blockIdx.x;" if shared else "", threads=1 if len(block) == 1 and block[0] == 1 else block[0] * (block[1] if len(block) > 1 else 1),
                start="cell[threadIdx.x]" if shared else r.pick("0", "(int)blockIdx.x"), guard=guard, body=body, count=count, n=n, grid=dim(grid), block=dim(block))


def byte_counts(r):
    """Long histograms of bytes, of few or all values, in shared memory."""
    block, grid = r.pick(32, 64, 128, 256), r.pick(1, 1, 2)
    n = r.pick(r.randint(1, 2000), 70000 * grid + r.randint(0, 70), 40000 * grid)
    bins = r.pick(256, 256, 64, 16)
    which = {256: r.pick("v", "v", "255 - v", "(v + 1) & 255", "(v * 7) & 255"), 64: r.pick("v >> 2", "v & 63", "v % 64"), 16: r.pick("v >> 4", "v % 16", "v & 15")}[bins]
    add = r.pick("1", "1", "1", "1", "2", "k & 1", "v & 1")
    guard = r.some("if (v != 3)\n      ", 0.1)
    walk = r.pick("for (int k = blockIdx.x * blockDim.x + t; k < n; k += gridDim.x * blockDim.x)", "for (int k = blockIdx.x * blockDim.x + t; k < n; k += gridDim.x * blockDim.x)",
                  f"for (int k = blockIdx.x * {n // grid + 1} + t; k < n && k < (int)(blockIdx.x + 1) * {n // grid + 1}; k += blockDim.x)")
    also = r.some(r.pick("last = v;", "sum += v;", "seen[k % 64] = 1;"), 0.15)
    return text("""KERNEL kernel(const unsigned char *in, unsigned *out, unsigned *found, unsigned char *seen, int n) {
  SHARED(unsigned, counts, [$bins]);
  int t = threadIdx.x, last = 0;
  unsigned sum = 0;
  for (int k = t; k < $bins; k += blockDim.x)
    counts[k] = $first;
  __syncthreads();
  $walk {
    int v = in[k];
    $guard$op(&counts[$which], $add);
    $also
  }
  __syncthreads();
  for (int k = t; k < $bins; k += blockDim.x)
    atomicAdd(&out[k], counts[k]);
  found[blockIdx.x * blockDim.x + t] = sum + last;
}
static void run() {
  unsigned char *in = array<unsigned char>($n, $limit), *seen = array<unsigned char>(64, 2);
  unsigned *out = array<unsigned>($bins, 4), *found = array<unsigned>($threads, 2);
  LAUNCH(kernel, $grid, $block, 0, in$shift, out, found, $where, $less);
  result();
}
""", bins=bins, first=r.pick("0", "0", "k"), walk=walk, guard=guard, op=r.pick("atomicAdd", "atomicAdd", "atomicAdd", "atomicXor"), which=which, add=add, also=also, n=n + 4, less=n, limit=r.pick(0, 0, 2, 17),
                threads=block * grid, grid=grid, block=block, shift=r.pick("", "", " + 1", " + 3"), where=r.pick("seen", "seen", "seen"))


def places(r):
    """Places by `and`, `xor` and remainders with numbers that change from launch to launch; pairs that are compared and exchanged."""
    kind = r.pick("float", "int", "unsigned", "double", "float2")
    size = r.pick(32, 64, 128, 256)
    block = min(size, r.pick(32, 64, 128))
    scalar = "float" if kind == "float2" else kind
    less = "a.x > b.x" if kind == "float2" else "a > b"
    form = r.pick("bitonic", "butterfly", "wrap", "wrap", "interleave")
    body = {
        "bitonic": f"int j = i ^ p;\n  if (j > i && j < n) {{\n    {kind} a = data[i], b = data[j];\n    if (({less}) == ((i & q) == 0)) {{\n      data[i] = b;\n      data[j] = a;\n    }}\n  }}",
        "butterfly": f"int j = (i / p) * 2 * p + i % p;\n  if (j + p < n) {{\n    {kind} a = data[j], b = data[j + p];\n    out[j] = b;\n    out[j + p] = a;\n  }}",
        "wrap": f"int j = {r.pick('i & (p - 1)', 'i % p', '(i + q) & (p - 1)', '(i + q) % p', '(i ^ q) % p')};\n  out[i] = data[j];",
        "interleave": "int j = (i & (p - 1)) * (n / p) + i / p;\n  if (j < n)\n    out[j] = data[i];",
    }[form]
    launches = []
    for _ in range(r.randint(1, 4)):
        p = min(size, 1 << r.randint(0, 6))
        launches += [f"  LAUNCH(kernel, {size // block}, {block}, 0, data, out, {size}, {p}, {r.pick(p, 2 * p, r.randint(0, 40))});"]
    return text("""KERNEL kernel($kind *data, $kind *out, int n, int p, int q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  $body
}
static void run() {
  $kind *data = ($kind *)array<$scalar>($count, 50), *out = ($kind *)array<$scalar>($count, 5);
$launches
  result();
}
""", kind=kind, scalar=scalar, body=body, count=size * (2 if kind == "float2" else 1), launches="\n".join(launches))


def choices(r):
    """Loops that choose in each round by what is the same in all: an element or nothing, one array or the other."""
    kind = r.pick("int", "unsigned", "short", "unsigned char", "float")
    total = accumulator(kind)
    block, n, rounds = r.pick(32, 64, 100, 256), r.randint(1, 250), r.randint(0, 20)
    test = r.pick("which[i] > 1", "which[i] == 2", "(i & 3) == 1", "i < m", "which[i] != which[0]", "a[k] > 2")
    lines = [r.pick(f"sum += {test} ? a[k] : ({kind})0;", f"if ({test})\n      sum += a[k];", f"sum += ({test} ? a : b)[k];", f"sum += {test} ? a[k] : b[k];", f"sum = {test} ? sum + b[k] : sum;",
                    f"sum += ({test}) * a[k];") for _ in range(r.randint(1, 3))]
    return text("""KERNEL kernel(int n, int m, int rounds, const $kind *a, const $kind *b, const int *which, $total *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  $total sum = 0;
  for (int k = 0; k < rounds; ++k) {
    $lines
  }
  out[i] = sum;
}
static void run() {
  $kind *a = array<$kind>(32, 5), *b = array<$kind>(32, 5);
  int *which = array<int>($n, 4);
  $total *out = array<$total>($n, 3);
  LAUNCH(kernel, $grid, $block, 0, $n, $m, $rounds, a, $b, which, out);
  result();
}
""", kind=kind, total=total, lines="\n    ".join(lines), n=n, m=r.randint(0, n), rounds=rounds, grid=-(-n // block), block=block, b=r.pick("b", "b", "a + 3"))
