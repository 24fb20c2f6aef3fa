# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that work alone: along rows of matrices, through lists, over pictures, with structures.

Arrays may be the same, or lie over each other as far as each thread touches what no other one does.
"""
from words import FLOATS, SHAPES_1D, accumulator, combine, dim, limit, text


def guarded(r, n="n"):
    """How a thread gets its index, and what it does if there is nothing for it."""
    index = r.pick("int", "int", "unsigned", "long long")
    return index, r.pick(f"if (i >= {n})\n    return;", f"if (i < {n}) {{")


def products(r):
    """A thread's row times each of some columns; the result may lie in the row."""
    kind = r.pick("float", "float", "int", "double", "short", "unsigned char")
    total = accumulator(kind)
    block, n = r.pick(16, 32, 64, 100, 128), r.randint(1, 200)
    outer, inner = r.randint(0, 20), r.randint(0, 12)
    pitch = max(outer, inner) + r.pick(0, 0, 1, 4, 20)
    in_place = r.chance(0.4)
    head = r.pick("for (int j = 0; j < outer; ++j)", "for (int j = 0; j < outer; ++j)", "for (int j = outer - 1; j >= 0; --j)", "for (int j = 1; j < outer; j += 2)")
    loop = r.pick("for (int k = 0; k < inner; ++k)", "for (int k = 0; k < inner; ++k)", "for (int k = j; k < inner; ++k)", "for (int k = 0; k <= j && k < inner; ++k)")
    step = r.pick("sum = MAD((%s)a[i * pitch + k], (%s)b[j * inner + k], sum);" % (total, total),
                  "sum = MAD((%s)a[i * pitch + k], (%s)b[k * outer + j], sum);" % (total, total),
                  "%s d = a[i * pitch + k] - b[j * inner + k]; sum = MAD(d, d, sum);" % total,
                  "if (b[j * inner + k] == 1) break; sum += a[i * pitch + k];",
                  "if (a[i * pitch + k] == 2) continue; sum += b[j * inner + k];")
    what = r.pick("store", "store", "least", "add", "both")
    lines = {"store": f"out[i * pitch + j] = ({kind})((int)sum & 7);", "least": "if (sum < best) {\n        best = sum;\n        at = j;\n      }",
             "add": f"out[i * pitch] = ({kind})((int)(out[i * pitch] + sum) & 7);",
             "both": f"if (sum < best)\n        best = sum;\n      out[i * pitch + j] = ({kind})(((int)sum + j) & 7);"}[what]
    kernel = text("""KERNEL kernel(int n, int outer, int inner, int pitch, const $kind *a, const $kind *b, $kind *out, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = -1;
  if (i >= n)
    return;
  $total best = 100000;
  $head {
    $total sum = 0;
    $loop {
      $step
    }
    $lines
  }
  found[i] = at * 1000 + (int)best % 1000;
}
""", kind=kind, total=total, head=head, loop=loop, step=step, lines=lines)
    shift = r.pick(0, 1, pitch - 1) if in_place else 0
    # A thread's row is its own: what it writes there nobody else reads.
    width = outer if what in ("store", "both") else 1
    out = f"a + {shift}" if in_place and shift + max(width, 1) <= pitch else "c"
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, 5), *b = array<$kind>($more, 5), *c = array<$kind>($count, 3);
  int *found = array<int>($n, 2);
  LAUNCH(kernel, $grid, $block, 0, $n, $outer, $inner, $pitch, a, b, $out, found);
  result();
}
""", kind=kind, count=n * pitch + 40, more=outer * inner + 60, n=n, grid=-(-n // block), block=block, outer=outer, inner=inner, pitch=pitch, out=out)


def own_sum(r):
    """Where a thread's sum starts and where it goes."""
    start, at = r.pick("0", "0", "1", "out[i]"), r.pick("", "", " * 2")
    return {"start": start.replace("[i]", f"[i{at}]"), "at": at}


def lists(r):
    """Each thread goes along a list of its own; lists start and end where an array says."""
    kind = r.pick("float", "int", "unsigned", "short", "unsigned char", "double", "long long")
    total = r.pick(accumulator(kind), accumulator(kind), "long long" if kind not in FLOATS else "double")
    block, n = r.pick(32, 64, 128, 100, 256), r.randint(1, 300)
    index = r.pick("int", "int", "unsigned", "long long", "short")
    longest = r.pick(3, 9, 40)
    body = r.pick("sum += values[k];", "sum = MAD((%s)values[k], (%s)x[columns[k]], sum);" % (total, total), "sum += x[columns[k]];",
                  "if (values[k] == 3) break; sum += values[k];", "if (columns[k] > 20) continue; sum += x[columns[k]];",
                  f"sum = sum < values[k] ? sum : ({total})values[k];", f"sum += values[k]; also[k] = ({kind})((int)sum & 3);",
                  f"sum += values[k]; values[k] = ({kind})((int)sum & 3);", "sum += values[k] * 2; if (sum > 20) sum -= 20;",
                  "sum += (values[k] > 1) + x[k & 15];", "if (x[columns[k]] == values[k]) { sum = k; break; }", "sum ^= values[k];" if kind not in FLOATS else "sum -= values[k];")
    walk = r.pick("for ($index k = begin; k < end; ++k)", "for ($index k = begin; k < end; ++k)", "for ($index k = end; k-- > begin;)",
                  "for ($index k = begin; k < end; k += 2)", "for ($index k = begin; k != end; ++k)").replace("$index", index)
    if index == "unsigned" and "k != end" in walk:
        walk = walk.replace("k != end", "k < end")
    kernel = text("""KERNEL kernel(int n, const int *starts, const int *columns, $kind *values, const $kind *x, $total *out, $kind *also) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  $index begin = ($index)starts[i], end = ($index)starts[i + 1];
  $total sum = $start;
  $walk {
    $body
  }
  out[i$at] = sum;
}
""", kind=kind, total=total, index=index, walk=walk, body=body, **own_sum(r))
    also = r.pick("also", "also", "values")
    return kernel + text("""static void run() {
  int *starts = array<int>($m, $longest), *columns = array<int>($count, 64);
  $kind *values = array<$kind>($count, 5), *x = array<$kind>(64, 5), *also = array<$kind>($count, 2);
  $total *out = array<$total>(2 * $n, 4);
  LAUNCH(sums, 1, 1, 0, $n, starts);
  LAUNCH(kernel, $grid, $block, 0, $n, starts, columns, values, x, out, $also);
  result();
}
""", kind=kind, total=total, m=n + 1, longest=longest, count=n * longest + 60, n=n, grid=-(-n // block), block=block, also=also).join(
        ["KERNEL sums(int n, int *starts) {\n  int sum = 0;\n  for (int i = 0; i <= n; ++i) {\n    int length = starts[i];\n    starts[i] = sum;\n    sum += length;\n  }\n}\n", ""])


def pictures(r):
    """Straight kernels over two dimensions: copies, transpositions, sums of neighbours."""
    kind = r.pick("float", "float", "int", "double", "unsigned char", "short", "float2", "float4", "uchar4")
    block = r.pick((32, 8), (16, 16), (8, 32), (32, 1), (1, 64), (7, 5), (64, 4), (4, 4, 4), (32, 32), (1, 1), (5, 1))
    w, h = r.randint(1, 150), r.randint(1, 60)
    grid = (-(-w // block[0]), -(-h // block[1]))
    index = r.pick("int", "int", "unsigned", "size_t")
    target = r.pick("y * w + x", "x * h + y", "x * h + y", "y * w + (w - 1 - x)", "(h - 1 - y) * w + x", "y * w + x", "y * (w + 3) + x", "x * (h + 1) + y")
    here = r.pick("y * w + x", "y * w + x", "x * h + y")
    struct = kind in ("float2", "float4", "uchar4")
    members = {"float2": "xy", "float4": "xyzw", "uchar4": "xyzw"}.get(kind, "")
    if struct:
        swapped = members[1:] + members[:1] if r.chance(0.4) else members
        change = "\n".join(f"    v.{m} = {r.pick(f'in[here].{s}', f'in[here].{s} * 2', f'in[here].{s} + in[here].{members[0]}', f'v.{m} + {k}')};"
                           for k, (m, s) in enumerate(zip(members, swapped)) if r.chance(0.85))
        lines = f"    {kind} v = in[here];\n{change}\n"
        store = "    out[target] = v;" if r.chance(0.6) else "\n".join(f"    out[target].{m} = v.{m};" for m in members if r.chance(0.7)) or "    out[target] = v;"
    else:
        lines = f"    {kind} v = in[here];\n"
        if r.chance(0.5):
            lines += f"    v = ({kind})(v + {r.pick('x', 'y', 'x * y', 'threadIdx.y', 'blockDim.y', 'blockIdx.y', 'threadIdx.x == 0', 'y % 3', '(int)(y - x)')});\n"
        if r.chance(0.2):
            lines += f"    if (v == 2)\n      v = {r.randint(0, 9)};\n"
        store = r.pick("    out[target] = v;", "    out[target] = v;", "    if (v > 1)\n      out[target] = v;", f"    out[target] = v > 2 ? v : ({kind})0;")
        if target == "y * w + x" and here == target and r.chance(0.4):
            store = f"    out[target] = ({kind})(out[target] + v);"
    guard = r.pick("x < w && y < h", "x < w && y < h", "y < h && x < w", "x + 1 < w && y < h", "x > 0 && x < w && y < h", "x < w && y < h && (x + y) % 2 == 0")
    if len(block) == 3:
        guard += " && threadIdx.z == 1"
    form = r.chance(0.5)
    kernel = text("""KERNEL kernel($index w, $index h, const $kind *in, $kind *out) {
  $index x = blockIdx.x * $bx + threadIdx.x, y = blockIdx.y * $by + threadIdx.y;
  $open
    $index here = $here, target = $target;
$lines
$store
$close
}
""", index=index, kind=kind, bx=block[0], by=block[1] if r.chance(0.7) else "blockDim.y", open=f"if ({guard}) {{" if form else f"if (!({guard}))\n    return;\n  {{",
                  close="  }", here=here, target=target, lines=lines, store=store)
    count = (w + 4) * (h + 4) + 50
    same = here == target and "* 2" not in here
    out = r.pick("a", "b") if same else r.pick("b", f"a + {count}")
    return kernel + text("""static void run() {
  $fill
  LAUNCH(kernel, $grid, $block, 0, $w, $h, $a, $out);
  result();
}
""", fill=(f"{kind} *a = ({kind} *)array<{'unsigned char' if kind == 'uchar4' else 'float'}>({2 * count * len(members)}, 9), "
           f"*b = ({kind} *)array<{'unsigned char' if kind == 'uchar4' else 'float'}>({count * len(members)}, 5);") if struct else
                         f"{kind} *a = array<{kind}>({2 * count}, 9), *b = array<{kind}>({count}, 5);",
                         grid=dim(grid), block=dim(block), w=w, h=h, a="a", out=out)


def strides(r):
    """Loops in steps of the grid's size, with bounds that are no multiple; lonely threads, loops without rounds."""
    kind = r.pick("float", "int", "unsigned", "short", "unsigned char", "double", "long long")
    index = r.pick("int", "unsigned", "size_t", "long long")
    block = r.choice(SHAPES_1D)
    grid = r.pick(1, 1, 2, 3, 7, 64) if block > 8 else r.pick(1, 50, 130, 257, 1000)
    n = r.pick(0, 1, r.randint(1, 3000), grid * block, grid * block - 1, grid * block + 1)
    base = r.randint(0, 5)
    work = r.pick(f"out[i] = ({kind})(in[i] + 1);", f"out[i] = ({kind})(in[i] * 2 + out[i]);", "sum += in[i];", "if (in[i] > 1)\n      out[i] = in[i];",
                  "sum += in[i];\n    if (sum > 50)\n      break;", "if (in[i] == 2)\n      continue;\n    out[i] = 1;\n    sum += 1;",
                  f"for (int k = 0; k < (int)in[i] && k < 4; ++k)\n      sum += k;\n    out[i] = ({kind})sum;", f"out[n - 1 - i] = in[i];")
    pattern = r.pick("stride", "stride", "chunk", "one", "one")
    if pattern == "stride":
        head = f"for ({index} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
    elif pattern == "chunk":
        head = f"for ({index} i = ({index})(blockIdx.x * blockDim.x + threadIdx.x) * 3; i < n && i < ({index})(blockIdx.x * blockDim.x + threadIdx.x + 1) * 3; ++i)"
    else:
        head = f"{index} i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)"
        work = work.replace("break;", "sum = 9;").replace("continue;", "sum = 7;")
    kernel = text("""KERNEL kernel($index n, const $kind *in, $kind *out, $total *sums) {
  $total sum = $base;
  $head {
    $work
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
""", kind=kind, index=index, total=accumulator(kind), base=base, head=head, work=work)
    alias = "out[n - 1" not in work
    out = r.pick("a", "b", "b") if alias else "b"
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, 5), *b = array<$kind>($count, 3);
  $total *sums = array<$total>($threads, 2);
  LAUNCH(kernel, $grid, $block, 0, $n, a, $out, sums);
  result();
  LAUNCH(kernel, $grid2, $block2, 0, $n, b, $out2, sums);
  result();
}
""", kind=kind, total=accumulator(kind), count=n + 4, threads=grid * block + 512, grid=grid, block=block, n=n, out=out, grid2=r.pick(1, 2), block2=r.pick(1, 32, 100, 256),
                         out2=r.pick("a", "b") if alias else "a")


def sliding(r):
    """Sums of products with a row that moves by one: convolutions with known and unknown lengths, some results a thread."""
    kind = r.pick("float", "float", "int", "double", "short", "unsigned char")
    total = accumulator(kind)
    block, taps = r.pick(32, 64, 128, 256, 100), r.pick(1, 3, 5, 7, 9, 17, 33)
    each = r.pick(1, 1, 2, 4)
    n = r.randint(1, 600)
    known = r.chance(0.6)
    shape = r.pick("plain", "plain", "symmetric", "skip", "store")
    body = {"plain": f"s = MAD(({total})w[k], ({total})in[x + k], s);", "symmetric": f"s = MAD(({total})w[k], ({total})(in[x + k] + in[x + {taps} - 1 - k]), s);",
            "skip": f"if (k != {taps // 2}) s = MAD(({total})w[k], ({total})in[x + k], s);", "store": f"s = MAD(({total})w[k], ({total})in[x + k], s);\n      out[x] = ({kind})((int)s & 7);"}[shape]
    kernel = text("""CONSTANT $kind inner[$taps] = {$values};
KERNEL kernel(int n, int taps, const $kind *in, const $kind *weights, $kind *out) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * $each;
  const $kind *w = $source;
  for (int e = 0; e < $each; ++e) {
    int x = first + e;
    if (x >= n)
      return;
    $total s = 0;
    for (int k = 0; k < $length; ++k) {
      $body
    }
    out[x] = ($kind)((int)s & 63);
  }
}
""", kind=kind, total=total, taps=taps, values=", ".join(str(r.randint(-2, 3) if kind != "unsigned char" else r.randint(0, 3)) for _ in range(taps)), each=each,
                  source=r.pick("inner", "weights"), length=taps if known else "taps", body=body)
    return kernel + text("""static void run() {
  $kind *in = array<$kind>($count, 5), *weights = array<$kind>($taps, 5), *out = array<$kind>($count, 3);
  LAUNCH(kernel, $grid, $block, 0, $n, $taps, in, weights, out);
  result();
}
""", kind=kind, count=n + taps + 8, taps=taps, grid=-(-n // (block * each)), block=block, n=n)
