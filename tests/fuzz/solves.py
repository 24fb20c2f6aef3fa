# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that threads walk over: triangular systems along a thread's row, alignments along diagonals."""
from words import text


def triangles(r):
    """Each thread goes along a row, or a column, of a tile, with what it has found before."""
    kind = r.pick("int", "int", "unsigned", "float", "short")
    total = "int" if kind == "short" else kind
    size = r.pick(8, 16, 32, 32)
    block = r.pick(size, size, size, 2 * size)
    pitch = size + r.pick(0, 1, 1)
    rows = r.chance(0.7)
    at = lambda x: f"tile[t][{x}]" if rows else f"tile[{x}][t]"
    end = r.pick("x", "x", "x", "x", "x - 1", f"({size} - x)")
    start = r.pick("0", "0", "0", "1", "x / 2")
    other = r.pick("corner[k][x]", "corner[k][x]", "corner[x][k]", "corner[k][k]", f"corner[k][{size - 1} - x]")
    form = r.pick("minus", "minus", "minus", "plus", "self", "late")
    small = "(%s)((int)(%s) & 15)" if kind != "unsigned" else "(%s)((%s) & 15u)"
    own = at("x")
    inner = {"minus": f"{own} -= {at('k')} * {other};", "plus": f"{own} += {at('k')} * {other};",
             "self": f"{own} -= {own} * {other};" if False else f"{own} -= {at('k')} * {other} + {at('0')};", "late": f"sum = MAD({at('k')}, {other}, sum);"}[form]
    scale = r.pick(f"{own} = {small % (kind, own)};", f"{own} = {small % (kind, f'{own} + corner[x][x]')};", f"if (corner[x][x] > 1)\n        {own} = {small % (kind, own)};\n      else\n        {own} = 1;")
    if form == "late":
        scale = f"{own} = {small % (kind, f'({own} - sum)')};"
    walk = r.pick(f"for (int x = 0; x < {size}; ++x)", f"for (int x = 0; x < {size}; ++x)", f"for (int x = 1; x < {size}; ++x)", f"for (int x = 0; x < {size}; x += 2)", f"for (int x = {size - 1}; x >= 0; --x)")
    barrier = r.some("      __syncthreads();", 0.15)
    whole = r.chance(0.7)
    guard = f"    if (t < {r.pick(size, size - 1, size // 2)}) {{" if not barrier else "    {"
    kernel = text("""KERNEL kernel($kind *a, const $kind *b, int pitch, int rows) {
  SHARED($kind, corner, [$size][$size]);
  SHARED($kind, tile, [$height][$pitch]);
  int t = threadIdx.x;
  $kind *mine = a + blockIdx.x * $each;
  for (int i = t; i < $size * $size; i += $block)
    corner[i / $size][i % $size] = b[i];
  for (int i = t; i < $height * $size; i += $block)
    tile[i / $size][i % $size] = mine[i / $size * pitch + i % $size];
  __syncthreads();
$open
    $walk {
      $total sum = 0;
      for (int k = $start; k < $end; ++k)
        $inner
      $scale
$barrier
    }
  }
  __syncthreads();
  for (int i = t; i < $height * $size; i += $block)
    mine[i / $size * pitch + i % $size] = tile[i / $size][i % $size];
}
""", kind=kind, total=total, size=size, height=block if rows else size, pitch=max(pitch, block) if not rows else pitch, each=block * (size + 8), block=block,
                  open="    {" if whole else guard, walk=walk, start=start, end=end, inner=inner, scale=scale, barrier=barrier)
    if not rows and block > size:
        return triangles(r)
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, 9), *b = array<$kind>($square, 9);
  LAUNCH(kernel, $blocks, $block, 0, a, b, $pitch, $size);
  result();
}
""", kind=kind, count=4 * block * (size + 8) + 100, square=size * size, blocks=r.randint(1, 3), block=block, size=size, pitch=size + r.pick(0, 3))


def waves(r):
    """A tile filled by diagonals from what is left of and above a cell."""
    kind = r.pick("int", "int", "int", "float", "short", "unsigned")
    size = r.pick(8, 16, 16, 32)
    height = r.pick(size, size, size, size + 4, size // 2)
    pitch = size + 1 + r.pick(0, 0, 1)
    skew = "step - t"
    first, last = "0", str(size + height - 1 + r.pick(0, 0, 0, 1, -1))
    reverse = r.chance(0.2)
    rule = r.pick("max(tile[y][t] + score[y][t], max(tile[y][t + 1], tile[y + 1][t]) - 2)", "max(tile[y][t] + score[y][t], max(tile[y][t + 1], tile[y + 1][t]) - 2)",
                  "min(min(tile[y][t + 1], tile[y + 1][t]), tile[y][t]) + score[y][t]", "tile[y][t + 1] + score[y][t]", "tile[y][t] + tile[y + 1][t + 1]",
                  "score[y][t] > 2 ? tile[y][t] + 1 : max(tile[y][t + 1], tile[y + 1][t])")
    if kind == "float":
        rule = rule.replace("max", "fmaxf").replace("min", "fminf").replace("fminf(fminf", "fminf(fminf")
        rule = rule.replace(" - 2", " - 2.0f")
    if kind in ("short", "unsigned"):
        rule = rule.replace("max(", "max((int)").replace("min(", "min((int)").replace("(int)max", "max").replace("(int)min", "min")
        for name in ("tile[y][t + 1]", "tile[y + 1][t]", "tile[y][t]"):
            rule = rule.replace(f", {name}", f", (int){name}")
    condition = r.pick(f"y >= 0 && y < {height}", f"y >= 0 && y < {height}", f"y >= 0 && y < {height} && t < {size}", f"(unsigned)y < {height}u", f"y >= 0 && y < rows", f"y >= 0 && y < {height} && score[y][t] != 4")
    between = r.pick("", "", "", f"    if (step == {r.randint(0, size)} && t == 0)\n      tile[{r.randint(1, height)}][{r.randint(1, size)}] = 1;\n    __syncthreads();",
                     "    if (stops[step & 15] && step > 20)\n      break;")
    # Nobody may store where others walk in the same step: a patch waits before and behind itself.
    if "tile[" in between:
        between = "    __syncthreads();\n" + between
    out = r.pick("cells[(top + y + 1) * width + left + t + 1] = tile[y + 1][t + 1];", "cells[(top + y + 1) * width + left + t + 1] = tile[y + 1][t + 1];",
                 "cells[(top + y) * width + left + t] = tile[y][t];", f"cells[(top + y + 1) * width + left + {size} - t] = tile[y + 1][{size} - t];")
    copy = r.pick(f"for (int y = 0; y < {height}; ++y)", f"for (int y = 0; y < {height}; ++y)", f"for (int y = {height - 1}; y >= 0; --y)", f"for (int y = 0; y < {height}; y += 2)")
    kernel = text("""KERNEL kernel(const $kind *scores, $kind *cells, int width, int rows, const int *stops) {
  SHARED($kind, tile, [$th][$pitch]);
  SHARED($kind, score, [$height][$size]);
  int t = threadIdx.x, top = blockIdx.x * $far, left = $left;
  for (int y = 0; y < $height; ++y)
    score[y][t] = scores[(top + y) * width + left + t];
  if (t == 0)
    tile[0][0] = cells[top * width + left];
  tile[0][t + 1] = cells[top * width + left + t + 1];
$sides
$preset
  __syncthreads();
  for (int step = $first; step < $last; ++step) {
    int y = $skew;
    if ($condition)
      tile[y + 1][t + 1] = ($kind)($rule);
    __syncthreads();
$between
  }
  __syncthreads();
  $copy
    $out
}
""", kind=kind, th=height + 1, pitch=pitch, height=height, size=size, far=height + 2, left=r.pick("0", "0", "3"),
                  sides=f"  for (int y = t; y < {height}; y += {size})\n    tile[y + 1][0] = cells[(top + y + 1) * width + left];",
                  preset=f"  for (int y = 0; y < {height}; ++y)\n    tile[y + 1][t + 1] = {r.pick(0, 5)};", first=first, last=last, skew=skew, condition=condition, rule=rule, between=between, copy=copy, out=out)
    width, blocks = size + 1 + r.pick(0, 3, 7) + 4, r.randint(1, 3)
    return kernel + text("""static void run() {
  $kind *scores = array<$kind>($count, 7), *cells = array<$kind>($count, 9);
  int *stops = array<int>(16, 9);
  LAUNCH(kernel, $blocks, $size, 0, scores, cells, $width, $rows, stops);
  result();
}
""", kind=kind, count=(blocks * (height + 2) + 2) * width + 50, blocks=blocks, size=size, width=width, rows=height - r.pick(0, 0, 1))
