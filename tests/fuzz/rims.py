# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of pictures with a rim on four sides, and walks from plane to plane."""
from words import accumulator, dim, limit, text


def square_stencil(r):
    kind = r.pick("float", "float", "int", "unsigned", "short", "double", "unsigned char")
    total = accumulator(kind)
    tile_x, tile_y = r.pick((32, 8), (16, 16), (32, 4), (8, 8), (32, 32), (16, 4), (20, 6), (64, 4))
    index = r.pick("int", "int", "int", "unsigned")
    segmented = r.chance(0.45)
    grid = (r.randint(1, 3), r.randint(1, 2))
    if segmented:
        w, h = r.randint(1, tile_x), r.randint(1, tile_y)
    else:
        w, h = grid[0] * tile_x - r.pick(0, 0, 1, 5), grid[1] * tile_y - r.pick(0, 0, 1, 3)
    pitch = w + r.pick(0, 0, 1, 7)
    seg = pitch * (h + 2) + 40
    lines = []
    cells = [(r.randint(-1, 1), r.randint(-1, 1)) for _ in range(r.randint(1, 6))] + [(0, 0)]
    if r.chance(0.5):
        cells = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    corners = any(dx and dy for dx, dy in cells)
    fill = r.pick("sides", "sides", "sides", "loop", "four", "shift") if not corners else r.pick("loop", "loop", "four")
    otherwise = r.chance(0.4)
    preset = not otherwise or r.chance(0.3)
    if preset:
        lines += [f"  for (int i = ty * {tile_x} + tx; i < {(tile_x + 2) * (tile_y + 2)}; i += {tile_x * tile_y})",
                  f"    tile[i / {tile_x + 2}][i % {tile_x + 2}] = {r.pick(0, 2)};", "  __syncthreads();"]
    extra = lambda: r.some(r.pick(" && y < h", " && (y & 1) == 0", " && x + 1 < w", " && k > 0"), 0.15)
    if fill == "loop":
        origin = ("0", "0") if segmented else (f"blockIdx.x * {tile_x}", f"blockIdx.y * {tile_y}")
        lines += [f"  for (int i = ty * {tile_x} + tx; i < {(tile_x + 2) * (tile_y + 2)}; i += {tile_x * tile_y}) {{",
                  f"    int gx = (int)({origin[0]}) + i % {tile_x + 2} - 1, gy = (int)({origin[1]}) + i / {tile_x + 2} - 1;",
                  f"    if (gx >= 0 && gx < (int)w && gy >= 0 && gy < (int)h{r.some(' && (gx & 3) != 1', 0.15)})",
                  f"      tile[i / {tile_x + 2}][i % {tile_x + 2}] = in[gy * {pitch} + gx];"]
        if otherwise:
            lines += ["    else", f"      tile[i / {tile_x + 2}][i % {tile_x + 2}] = 0;"]
        lines += ["  }"]
    elif fill == "four":
        # Four loads a thread, each shifted into a corner; who stands for a cell twice is left out.
        for dx, dy, who in ((-1, -1, "true"), (1, -1, f"tx >= {tile_x - 2}"), (-1, 1, f"ty >= {tile_y - 2}"),
                            (1, 1, f"tx >= {tile_x - 2} && ty >= {tile_y - 2}")):
            guard = " && ".join([f"x > 0" if dx < 0 else "x + 1 < w", "y > 0" if dy < 0 else "y + 1 < h", "x <= w", "y <= h"])
            place = f"tile[ty + {1 + dy}][tx + {1 + dx}]"
            lines += [f"  if ({who})", f"    {place} = {guard}{extra()} ? in[(y + ({dy})) * {pitch} + x + ({dx})] : 0;"]
    else:
        own = [f"    tile[ty + 1][tx + 1] = in[i];"]
        sides = [(f"tx == 0 && x > 0", "tile[ty + 1][0]", "in[i - 1]"),
                 (f"tx == {tile_x - 1} && x + 1 < w", f"tile[ty + 1][{tile_x + 1}]", "in[i + 1]"),
                 (f"ty == 0 && y > 0", "tile[0][tx + 1]", f"in[i - {pitch}]"),
                 (f"ty == {tile_y - 1} && y + 1 < h", f"tile[{tile_y + 1}][tx + 1]", f"in[i + {pitch}]")]
        if fill == "shift":
            # The cell beyond the picture's end is copied by the thread at its side, not the block's.
            sides[1] = (f"(tx == {tile_x - 1} || x + 1 == w)", "tile[ty + 1][tx + 2]", "(x + 1 < w ? in[i + 1] : 4)")
            if preset is False:
                preset = True
        nested = r.chance(0.7)
        lines += ["  if (x < w && y < h) {"] + own
        if not nested:
            lines += ["  }"]
        for who, place, load in sides:
            inside = "" if nested else " && x < w && y < h"
            lines += [f"    if ({who}{inside}{extra()})", f"      {place} = {load};"]
            if otherwise and " && " in who:
                lines += [f"    else if ({who.split(' && ')[0]})", f"      {place} = 0;"]
        if nested:
            lines += ["  }"] + ([f"  else", "    tile[ty + 1][tx + 1] = 0;"] if otherwise else [])
    lines += ["  __syncthreads();"]
    if segmented and r.chance(0.25):
        lines += [f"  if (tx == {r.randint(0, tile_x - 1)} && x < w && y < h)", "    also[i] = 3;"] + r.pick(["  __syncthreads();"], ["  __syncthreads();"])
    condition = r.pick("x > 0 && x + 1 < w && y > 0 && y + 1 < h", "x > 0 && x + 1 < w && y > 0 && y + 1 < h", "x < w && y < h",
                       "x > 0 && x < w && y + 1 < h", f"x < w && y < h && tx != {r.randint(0, tile_x - 1)}")
    lines += [f"  if ({condition}) {{", f"    {total} sum = {r.randint(0, 3)};"]
    for dx, dy in cells:
        lines += [f"    sum = MAD(({total})({r.randint(1, 4)}), ({total})tile[ty + {1 + dy}][tx + {1 + dx}], sum);"]
    lines += [f"    out[i] = ({kind})sum;", "  }"]
    if r.chance(0.6):
        lines += ["  else if (x < w && y < h)", f"    out[i] = tile[ty + 1][tx + {r.pick(1, 1, 0)}];"]
    # Nothing may be read that nobody has stored.
    if not preset:
        return square_stencil(r)
    start = ("tx", "ty") if segmented else (f"blockIdx.x * {tile_x} + tx", f"blockIdx.y * {tile_y} + ty")
    base = f"  long long at = (blockIdx.y * gridDim.x + blockIdx.x) * {seg};\n  in += at;\n  out += at;\n  also += at;" if segmented else ""
    kernel = text("""KERNEL kernel(int w_, int h_, const $kind *in, $kind *out, $kind *also, int k) {
  SHARED($kind, tile, [$th][$tw]);
  $index w = w_, h = h_, tx = threadIdx.x, ty = threadIdx.y;
  $index x = $x, y = $y, i = y * $pitch + x;
$base
$lines
}
""", kind=kind, th=tile_y + 2, tw=tile_x + 2, index=index, x=start[0], y=start[1], pitch=pitch, base=base, lines="\n".join(lines))
    count = 6 * seg + grid[0] * tile_x * grid[1] * tile_y * 4 + 2 * pitch + 300
    if segmented:
        shift = r.pick(0, 1, pitch, 3)
        pairs = r.sample([("a", "a"), ("a", f"a + {shift}"), (f"a + {shift}", "a"), ("a", "b")], 2)
    else:
        half = grid[0] * tile_x * grid[1] * tile_y + pitch + 100
        pairs = r.sample([("a", "b"), ("a", f"a + {half}"), ("b", "a")], 2)
    launches = []
    for source, target in pairs:
        launches += [f"  LAUNCH(kernel, {dim(grid)}, {dim((tile_x, tile_y))}, 0, {w}, {h}, {source}, {target}, {target if r.chance(0.5) else 'c'}, {r.randint(0, 1)});",
                     "  result();"]
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, $limit), *b = array<$kind>($count, $limit), *c = array<$kind>($count, 3);
$launches
}
""", kind=kind, count=count, limit=limit(kind), launches="\n".join(launches))


def planes(r):
    """A tile of each plane, and the planes below and above in registers; stores in each step."""
    kind = r.pick("float", "float", "int", "double", "short")
    total = accumulator(kind)
    tile_x, tile_y = r.pick((32, 8), (16, 8), (32, 4), (16, 16), (8, 4))
    grid = (r.randint(1, 3), r.randint(1, 2))
    w, h, d = grid[0] * tile_x - r.pick(0, 0, 1, 4), grid[1] * tile_y - r.pick(0, 0, 1), r.randint(1, 6)
    plane = w * h + r.pick(0, 0, 3)
    up = r.chance(0.75)
    loop = f"for (int z = 0; z < d; ++z)" if up else "for (int z = d - 1; z >= 0; --z)"
    inside = r.pick("x > 0 && x < w - 1 && y > 0 && y < h - 1", "x < w && y < h", "x > 0 && x < w && y < h - 1")
    leave = r.some("    if (stops[z])\n      break;", 0.2)
    first = r.some("  if (x >= w || y >= h)\n    return;", 0.2)
    kernel = text("""KERNEL kernel(int w, int h, int d, const $kind *in, $kind *out, const int *stops) {
  SHARED($kind, tile, [$th][$tw]);
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * $tile_x + threadIdx.x, y = blockIdx.y * $tile_y + threadIdx.y, i = y * w + x;
  for (int k = threadIdx.y * $tile_x + threadIdx.x; k < $cells; k += $threads)
    tile[k / $tw][k % $tw] = 0;
  __syncthreads();
$first
  bool isInside = x < w && y < h;
  $total before = 0, here = 0, next = isInside && d > 0 ? in[$start + i] : 0;
  $loop {
    before = here;
    here = next;
    next = isInside && $more ? in[(z + ($step)) * $plane + i] : 0;
$leave1
    if (isInside) {
      tile[ty][tx] = ($kind)here;
      if (threadIdx.x == 0 && x > 0)
        tile[ty][0] = in[z * $plane + i - 1];
      if (threadIdx.x == $tile_x - 1 && x + 1 < w)
        tile[ty][$tile_x + 1] = in[z * $plane + i + 1];
      if (threadIdx.y == 0 && y > 0)
        tile[0][tx] = in[z * $plane + i - w];
      if (threadIdx.y == $tile_y - 1 && y + 1 < h)
        tile[$tile_y + 1][tx] = in[z * $plane + i + w];
    }
    __syncthreads();
$leave2
    if ($inside)
      out[z * $plane + i] = ($kind)(here * 3 + before - next + tile[ty][tx - 1] + tile[ty - 1][tx] * 2 + tile[ty][tx + 1] - tile[ty + 1][tx]);
    __syncthreads();
$leave3
  }
}
""", kind=kind, total=total, th=tile_y + 2, tw=tile_x + 2, tile_x=tile_x, tile_y=tile_y, cells=(tile_x + 2) * (tile_y + 2),
                  threads=tile_x * tile_y, loop=loop, start="0" if up else f"(d - 1) * {plane}", more="z + 1 < d" if up else "z > 0",
                  step="1" if up else "-1", plane=plane, inside=inside, first=first,
                  **dict(zip(("leave1", "leave2", "leave3"), r.sample([leave, "", ""], 3))))
    count = plane * (d + 1) + 2 * w + 10
    return kernel + text("""static void run() {
  $kind *a = array<$kind>($count, $limit), *b = array<$kind>($count, 5);
  int *stops = array<int>(16, 8);
  LAUNCH(kernel, $grid, $block, 0, $w, $h, $d, a, $out, stops);
  result();
}
""", kind=kind, count=count * 2, limit=limit(kind), grid=dim(grid), block=dim((tile_x, tile_y)), w=w, h=h, d=d,
                         out=r.pick("b", "b", f"a + {count}"))
