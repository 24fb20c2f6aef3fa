# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with tiles in shared memory, as people write them and then a little different.

Aimed at the passes that read through tiles, take turns with them, join rounds, keep them in registers: guards that differ
between fill and use, stores between fill and use, arrays that lie over each other, loops that are left early, sizes that are
no multiple of anything.
"""
from words import FLOATS, NARROW, accumulator, dim, limit, text


def panels(r):
    """A product of matrices tile by tile. With one block, what it stores in the loop or behind it may lie in its operands."""
    size = r.pick(4, 8, 8, 16, 16, 32)
    kind = r.pick("float", "float", "float", "int", "unsigned", "double", "short", "unsigned char")
    total = accumulator(kind)
    one_block = r.chance(0.4)
    rows = r.randint(1, size) if one_block else r.randint(1, 3 * size)
    columns = r.randint(1, size) if one_block else r.randint(1, 3 * size)
    inner = r.randint(0, 4) * size + r.pick(0, 0, 1, size - 1, r.randint(0, size))
    grid = (-(-columns // size), -(-rows // size))
    guards = r.pick("none", "choice", "missing", "else")
    index = r.pick("int", "int", "unsigned", "size_t" if r.chance(0.3) else "int")
    first = r.pick("0", "0", "0", "skip")
    skip = r.randint(0, size)
    stride_a, stride_b = inner + 2 * size + r.pick(0, 0, 1, 3), grid[0] * size + r.pick(0, 0, 5)
    count_a = (grid[1] * size + 1) * stride_a + 2 * size
    count_b = (inner + 3 * size) * stride_b + 2 * size
    in_a = r.pick("row < rows && start + x < inner", "start + x < inner && row < rows", "row < rows && start + x < inner",
                  "start + x < inner", "start + x + 1 < inner", "row < rows", "start + x <= inner - 1 && row < rows")
    in_b = r.pick("start + y < inner && column < columns", "start + y < inner && column < columns", "start + y < inner",
                  "column < columns", "start + y < inner && (column & 1) == 0", "start < inner - y")
    swap = r.pick(False, False, False, True)
    places = ("[x][y]" if swap else "[y][x]"), "[y][x]"
    if r.chance(0.1):
        places = places[0], "[y][%d - x]" % (size - 1)

    def fill(tile, place, array, at, guard):
        load = f"{array}[{at}]"
        if guards == "none":
            return f"    {tile}{place} = {load};"
        if guards == "choice":
            return f"    {tile}{place} = {guard} ? {load} : {r.pick('0', '0', '1')};"
        if guards == "missing":
            return f"    if ({guard})\n      {tile}{place} = {load};"
        return f"    if ({guard})\n      {tile}{place} = {load};\n    else\n      {tile}{place} = 0;"

    preset = ""
    if guards == "missing":
        preset = f"  tileA[y][x] = {r.pick('0', '2')};\n  tileB[y][x] = {r.pick('0', '1')};" + r.some("\n  __syncthreads();", 0.3 if not swap else 1)
        if not swap and places[1] != "[y][x]":
            preset += "\n  __syncthreads();"
    depth = r.pick(size, size, size, size - 1, f"min(({index}){size}, inner - start)")
    use = r.pick(f"for ({index} k = 0; k < {depth}; ++k)", f"for ({index} k = 0; k < {depth}; ++k)",
                 f"for (int k = {size - 1}; k >= 0; --k)", f"for ({index} k = 0; k < {depth}; k += 2)",
                 f"for ({index} k = y; k < {size}; ++k)")
    product = r.pick("sum = MAD(%s, %s, sum);") % ("(total)tileA[y][k]".replace("total", total), f"({total})tileB[k][x]")
    body = product if r.chance(0.8) else r.pick(f"if (tileA[y][k] == 1) continue; {product}", f"{product} if (tileB[k][x] == 3) break;",
                                                  f"if (k != x) {product}", f"{product} sum += tileA[y][0];")
    patch = r.pick("", "", "", "", f"    if (x == 0)\n      tileA[y][{r.randint(0, size - 1)}] = 1;\n    __syncthreads();",
                   "    tileB[y][x] = tileB[y][x] + 1;\n    __syncthreads();",
                   f"    if (x == {r.randint(0, size - 1)} && y == 0)\n      tileB[0][0] = 2;\n    __syncthreads();")
    wrap = f"({kind})" if kind in FLOATS else f"({kind})"
    stored = r.pick("", "", "", "out")
    if stored and one_block:
        stored = r.pick("    d[row * stride + start + x] = %s((int)sum & 3);" % wrap,
                        "    if (start + x < inner)\n      d[row * stride + start + x] = %s((int)sum & 3);" % wrap)
    elif stored:
        stored = f"    d[(blockIdx.y * gridDim.x + blockIdx.x) * {size * size} + y * {size} + x] = {wrap}((int)sum & 3);"
    leave = r.pick("", "", "", "", "    if (stops[start / %d])\n      break;" % size, "    if (stops[start / %d])\n      continue;" % size)
    if "continue" in leave:
        leave = ""
    behind = r.pick(patch_free := "", "", "after") if leave else ""
    again = r.some("    __syncthreads();", 0.97)
    if "" == again:
        again = "    __syncthreads();"
    kernel = text("""KERNEL kernel(int rows_, int columns_, int inner_, const $kind *a, const $kind *b, $total *c, $kind *d, int stride_, const int *stops) {
  SHARED($kind, tileA, [$size][$pitchA]);
  SHARED($kind, tileB, [$size][$pitchB]);
  $index rows = rows_, columns = columns_, inner = inner_, stride = stride_, x = threadIdx.x, y = threadIdx.y;
  $index column = blockIdx.x * $size + x, row = blockIdx.y * $size + y;
  $total sum = 0;
$preset
  for ($index start = $first; start < inner; start += $step) {
$leave1
$fillA
$fillB
    __syncthreads();
$patch
    $use {
      $body
    }
$stored
$again
$leave2
  }
  if (row < rows && column < columns)
    c[row * $stride_c + column] = sum;
}
""", kind=kind, total=total, size=size, pitchA=size + r.pick(0, 0, 1), pitchB=size + r.pick(0, 0, 1, 4), index=index, preset=preset,
                  first=first if first == "0" else skip, step=r.pick(size, size, size, size, size + 1), leave1=leave if behind else "",
                  leave2="" if behind else leave,
                  fillA=fill("tileA", places[0], "a", f"row * {stride_a} + start + x", in_a),
                  fillB=fill("tileB", places[1], "b", f"(start + y) * {stride_b} + column", in_b),
                  patch=patch, use=use, body=body, stored=stored, again=again, stride_c=columns)
    # Where d lies: elsewhere, or in one block's own operands, a tile further than what it reads in this round.
    d = "d"
    if stored and one_block:
        d = r.pick("d", f"a + {size}", f"a + {size}", f"a + {2 * size}", f"a + {size + 1}") if "[row * stride + start + x]" in stored else "d"
        if d == f"a + {size + 1}" and "if (start" not in stored:
            d = f"a + {size}"
    b = r.pick("b", "b", "b", "b", f"a + {r.randint(0, 5)}") if "a +" not in d else "b"
    c = "c"
    if one_block and kind == total and r.chance(0.4):
        c = r.pick("a", "b", "a + 1", "d" if d == "d" else "a")
    size_d = max(count_a, grid[0] * grid[1] * size * size, rows * columns) + 4 * size
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, $limit), *b = array<$kind>($count, $limit), *d = array<$kind>($size_d, 2);
  $total *c = array<$total>($size_c, 2);
  int *stops = array<int>($rounds, $often);
  LAUNCH(kernel, $grid, $block, 0, $rows, $columns, $inner, a, $b, $c, $d, $stride, stops);
  result();
}
""", kind=kind, total=total, count=max(count_a, count_b), limit=r.pick(limit(kind), 4), size_d=size_d, size_c=rows * columns + 1,
                         rounds=inner // size + 8, often=r.pick(1, 3, 9), grid=dim(grid), block=dim((size, size)), rows=rows,
                         columns=columns, inner=inner, b=b, c=c, d=d, stride=stride_a)


def row_stencil(r):
    """A tile of a row with a rim on both sides."""
    kind = r.pick("float", "float", "int", "unsigned", "short", "double", "unsigned char", "unsigned short")
    total = accumulator(kind)
    block, radius = r.pick(16, 32, 32, 64, 64, 96, 100, 128, 256), r.pick(1, 1, 2, 3, 5, 8)
    radius = min(radius, block)
    index = r.pick("int", "int", "unsigned", "long long")
    segmented = r.chance(0.5)
    blocks = r.randint(1, 4)
    n = r.randint(1, block) if segmented else r.randint(max(1, (blocks - 1) * block - 3), blocks * block)
    seg = block + 2 * radius + 8
    signed = index != "unsigned"
    low = r.pick(f"x >= {radius}", f"x > {radius - 1}", f"x >= {radius} && x < n + {radius}")
    outside = r.pick("", "", " : 0", " : 0", " : 1")
    rim_guard = [low, f"x + {block} < n"]
    if r.chance(0.2):
        rim_guard[1] = r.pick(f"x < n - {block}" if signed else rim_guard[1], f"x + {block + 1} <= n", f"x + {block} < n && threadIdx.x < n")
    preset = r.chance(0.5) or outside == ""
    lines = []
    if preset:
        lines += [f"  for (int i = t; i < {block + 2 * radius}; i += {block})", f"    tile[i] = {r.pick(0, 3)};", "  __syncthreads();"]
    own = f"tile[t + {radius}] = in[x];"
    kind_of_fill = r.pick("sides", "sides", "sides", "inside", "loop", "clamp", "last")
    if kind_of_fill == "loop":
        origin = f"blockIdx.x * {block}" if not segmented else "0"
        lines += [f"  for (int i = t; i < {block + 2 * radius}; i += {block}) {{", f"    {index} g = ({index})({origin}) + i - {radius};",
                  f"    if (g {'>= 0 && g ' if signed else ''}< n)", "      tile[i] = in[g];"]
        if outside:
            lines += ["    else", "      tile[i] = 0;"]
        lines += ["  }"]
    else:
        inside = kind_of_fill == "inside"
        lines += ["  if (x < n) {" if inside else "  if (x < n)", f"    {own}"]
        if not inside and outside:
            lines += ["  else", f"    tile[t + {radius}] = 0;"]
        who = f"t < {radius}"
        lines += [f"  if ({who}) {{"]
        if kind_of_fill == "clamp":
            lines += [f"    tile[t] = in[x >= {radius} && x - {radius} < n ? x - {radius} : 0];",
                      f"    tile[t + {block + radius}] = in[x + {block} < n ? x + {block} : n - 1];"]
        elif outside and kind_of_fill == "sides":
            lines += [f"    tile[t] = {rim_guard[0]} && x - {radius} < n ? in[x - {radius}]{outside};",
                      f"    tile[t + {block + radius}] = {rim_guard[1]} ? in[x + {block}]{outside};"]
        else:
            extra = "" if inside else f" && x - {radius} < n"
            lines += [f"    if ({rim_guard[0]}{extra})", f"      tile[t] = in[x - {radius}];"]
            if kind_of_fill == "last":
                lines += ["  }", f"  if (t >= {block - radius}) {{", f"    if (x + {radius} < n)", f"      tile[t + {2 * radius}] = in[x + {radius}];"]
            else:
                lines += [f"    if ({rim_guard[1]})", f"      tile[t + {block + radius}] = in[x + {block}];"]
        lines += ["  }"]
        if inside:
            lines += ["  }"]
    leave = r.pick("", "", "", "  if (x >= n)\n    return;")
    if leave and r.chance(0.3) and kind_of_fill != "loop" and not preset:
        lines = [leave] + lines
        leave = ""
    lines += ["  __syncthreads();"]
    if leave:
        lines += [leave]
    weights = [r.randint(-3, 3) or 1 for _ in range(2 * radius + 1)]
    condition = r.pick(f"x >= {radius} && x + {radius} < n", f"x >= {radius} && x + {radius} < n", "x < n", "x < n && x > 0", f"x + {radius} < n",
                       f"x < n && (x & 1) == 0", f"x < n && t != {r.randint(0, block - 1)}")
    if r.chance(0.2):
        lines += [f"  if (x < n && t == {r.randint(0, block - 1)})", "    in_out[x] = 5;", "  __syncthreads();"] if segmented else []
    sums = [f"    {total} sum = 0;"]
    if r.chance(0.5):
        sums += [f"    for (int d = 0; d < {2 * radius + 1}; ++d)", f"      sum = MAD(({total})(d % 3 + 1), ({total})tile[t + d], sum);"]
    else:
        sums += [f"    sum = MAD(({total})({w}), ({total})tile[t + {d}], sum);" for d, w in enumerate(weights) if r.chance(0.8)]
    lines += [f"  if ({condition}) {{"] + sums + [f"    out[x] = ({kind})sum;", "  }"]
    if r.chance(0.5):
        lines += ["  else if (x < n)", f"    out[x] = tile[t + {r.randint(0, 2 * radius)}];"]
    base = f"  in += blockIdx.x * {seg};\n  out += blockIdx.x * {seg};\n  in_out += blockIdx.x * {seg};" if segmented else ""
    kernel = text("""KERNEL kernel(int n_, const $kind *in, $kind *out, $kind *in_out) {
  SHARED($kind, tile, [$cells]);
  $index n = n_, t = threadIdx.x, x = $x;
$base
$lines
}
""", kind=kind, cells=block + 2 * radius, index=index, x="t" if segmented else f"({index})blockIdx.x * {block} + t", base=base,
                  lines="\n".join(lines))
    launches = []
    if segmented:
        shift = r.pick(0, 0, 1, radius, 4)
        pairs = r.sample([("a", "a"), ("a", f"a + {shift}"), (f"a + {shift}", "a"), ("a", "b"), ("b", f"a + {shift}")], 2)
    else:
        pairs = r.sample([("a", "b"), ("a", f"a + {blocks * block + 40}"), (f"a + {blocks * block + 40}", "a")], 2)
    total_count = (blocks + 1) * seg * 2 + 2 * blocks * block + 200
    for source, target in pairs:
        launches += [f"  LAUNCH(kernel, {blocks}, {block}, 0, {n}, {source}, {target}, {target if r.chance(0.5) else 'c'});", "  result();"]
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, $limit), *b = array<$kind>($count, $limit), *c = array<$kind>($count, 3);
$launches
}
""", kind=kind, count=total_count, limit=limit(kind), launches="\n".join(launches))
