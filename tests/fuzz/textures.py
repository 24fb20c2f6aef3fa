# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Textures and surfaces: samples of all formats, filters and address modes, in branches, loops and stencils; what is written and
then read.

Where single texels are read, or the weights are products that no rounding shows in, results are exact. Other filtered samples
are `nearby` what plain C++ computes: within 1/256 of the weight of each texel.
"""
from words import text

WHOLE = ["unsigned char", "uchar2", "uchar4", "signed char", "char4", "unsigned short", "ushort4", "short", "short2", "unsigned", "uint2", "int", "int4"]
REAL = ["float", "float", "float2", "float4"]
FRACTIONS = {"unsigned char": "float", "uchar2": "float2", "uchar4": "float4", "signed char": "float", "char4": "float4", "unsigned short": "float", "ushort4": "float4", "short": "float", "short2": "float2"}
BYTES = {"unsigned char": 1, "uchar2": 2, "uchar4": 4, "signed char": 1, "char4": 4, "unsigned short": 2, "ushort4": 8, "short": 2, "short2": 4, "unsigned": 4, "uint2": 8, "int": 4, "int4": 16,
         "float": 4, "float2": 8, "float4": 16}
AXES = {"Linear": 1, "Pitched": 2, "Line": 1, "Plane": 2, "Volume": 3, "Lines": 1, "Planes": 2}
LAYERED = ("Lines", "Planes")
MODES = {"Wrap": True, "Mirror": True, "Clamp": False, "Border": False}  # which need normalized coordinates
HELPER = """/// A coordinate along an axis of n texels: from -n to 2n, so many steps a texel.
DEVICE float place(unsigned u, int n, int steps, float offset) {
  return (float)((int)(u % (unsigned)(3 * steps * n)) - steps * n) * (1.0f / (float)steps) + offset;
}"""


def channels(kind):
    """Those of a value of a type."""
    return [f".{c}" for c in "xyzw"[:int(kind[-1])]] if kind[-1].isdigit() else [""]


class View:
    """One texture. `style`: "point", "exact" (filtered, but so that it is exact) or "near"."""

    def __init__(self, r, name, style):
        self.r, self.name, self.style = r, name, style
        self.shape = r.pick("Plane", "Plane", "Plane", "Line", "Linear", "Pitched", "Volume", "Lines", "Planes")
        self.filters = style != "point" and self.shape != "Linear"
        self.fractions = False
        self.kind = r.choice(REAL if style == "exact" else REAL + ["__half"] + WHOLE)
        if style == "near":
            self.fractions = self.kind in WHOLE
            self.kind = self.kind if self.kind in FRACTIONS or not self.fractions else "uchar4"
        self.read = FRACTIONS[self.kind] if self.fractions else "float" if self.kind == "__half" else self.kind
        self.normalized = self.shape != "Linear" and r.chance(0.5)
        sizes = [1, 2, 4, 8, 16, 32, 64] if style == "exact" and self.normalized else [1, 2, 3, 5, 8, 13, 16, 31, 33, 64]
        axes = AXES[self.shape]
        self.size = [r.choice(sizes) if axis < axes else 1 for axis in range(3)]
        if self.shape == "Pitched" and self.filters:
            self.size[0] = max(self.size[0], 2)
        self.layers = r.randint(1, 4) if self.shape in LAYERED else 0
        self.limit = 9 if self.read.startswith("float") and not self.fractions else r.pick(0, 100)
        self.modes = [r.choice([mode for mode, needs in MODES.items() if self.normalized or not needs]) for _ in range(3)]
        self.gathers = self.shape == "Plane" and style == "point" and not self.normalized and self.kind != "__half" and r.chance(0.4)

    def lines(self):
        """Of run()."""
        modes = ", ".join(f"cudaAddressMode{mode}" for mode in self.modes)
        depth = self.layers or self.size[2]
        flags = ", cudaArrayTextureGather" if self.gathers else ""
        return [f"  Image image_{self.name} = image<{self.kind}>(Shape::{self.shape}, {self.size[0]}, {self.size[1]}, {depth}, {self.limit}u{flags});",
                f"  Texture {self.name} = texture(image_{self.name}, {{{{{modes}}}, {str(self.filters).lower()}, {str(self.normalized).lower()}, {str(self.fractions).lower()}}});"]

    def coordinate(self, axis, more=""):
        r, n, word = self.r, self.size[axis], "uvw"[axis]
        word = r.pick(word, word, word, f"({word} >> {r.randint(1, 9)})", f"(blockIdx.x * {r.randint(1, 99)}u)", "(u & ~31u)")
        if self.style == "near":
            at = f"(float)((int)({word} % {3000 * n}u) - {1000 * n}) * 0.001f"
        elif self.filters:
            at = f"place({word}, {n}, {(256, 16, 4)[AXES[self.shape] - 1]}, 0.0f)"
        else:
            at = f"place({word}, {n}, 16, 0.03125f)"
        at += more
        return f"({at}) / {n}.0f" if self.normalized else at

    def sample(self, more="", named=None):
        """An expression."""
        r, t = self.r, named or self.name
        if self.shape == "Linear":
            return f"tex1Dfetch<{self.read}>({t}, (int)(u % {self.size[0] + 8}u) - 4)"
        places = [self.coordinate(axis, more if axis == 0 else "") for axis in range(AXES[self.shape])]
        if self.layers:
            places.append(f"(int)({r.pick('(v >> 7)', '(u >> 20)', 'blockIdx.x')} % {self.layers + 2}u)")
        suffix = f"{len(self.size) if self.shape == 'Volume' else AXES[self.shape]}D" + ("Layered" if self.layers else "")
        return f"tex{suffix}<{self.read}>({t}, {', '.join(places)})"

    def stencil(self):
        """Around a place of a plane."""
        at = [self.coordinate(axis, f" + (float)d{'xy'[axis]}") for axis in range(2)]
        layer = f", (int)(u % {self.layers}u)" if self.layers else ""
        return f"tex2D{'Layered' if self.layers else ''}<{self.read}>({self.name}, {at[0]}, {at[1]}{layer})"


class Writer:
    def __init__(self, r, style):
        self.r, self.style = r, style
        self.views = [View(r, name, style) for name in "abc"[:r.randint(1, 3)]]
        self.lines, self.reads = [], 0

    def use(self, view, kind=None):
        """What becomes of a value `s` of one sample."""
        parts = channels(kind or view.read)
        if self.style != "point":
            return "total += " + self.r.choice([f"s{part}" for part in parts]) + ";"
        cast = "(unsigned)(int)" if (kind or view.read).startswith("float") else "(unsigned)"
        return "sum = sum * 5u + " + " * 3u + ".join(f"{cast}s{part}" for part in parts) + ";"

    def one(self, indent, view=None, more="", times=1):
        view = view or self.r.choice(self.views)
        self.reads += times
        kind, value = view.read, view.sample(more)
        if view.gathers and self.r.chance(0.5):
            kind = self.gathered(view)
            value = f"tex2Dgather<{kind}>({view.name}, {view.coordinate(0)}, {view.coordinate(1)}, {self.r.randint(0, len(channels(view.read)) - 1)})"
        self.lines += [f"{indent}{{", f"{indent}  {kind} s = {value};", f"{indent}  {self.use(view, kind)}", f"{indent}}}"]

    @staticmethod
    def gathered(view):
        scalar = {"unsigned char": "uchar", "signed char": "char", "unsigned short": "ushort", "unsigned": "uint"}.get(view.read, view.read.rstrip("24"))
        return scalar + "4"

    def statement(self):
        r = self.r
        form = r.pick("one", "one", "branch", "branch", "loop", "stencil", "choice", "early")
        flat = [view for view in self.views if view.shape in ("Plane", "Pitched", "Planes")]
        alike = [(x, y) for x in self.views for y in self.views if x is not y and x.read == y.read and AXES[x.shape] == AXES[y.shape] and x.layers == y.layers and "Linear" not in (x.shape, y.shape)]
        if form == "branch":
            self.lines.append(f"  if ({r.pick('u & 1u', 'i % 3 == 0', 'v % 5u < 2u', 'blockIdx.x == 0')}) {{")
            self.one("    ")
            if r.chance(0.5):
                self.lines.append("  } else {")
                self.one("    ")
            self.lines.append("  }")
        elif form == "loop":
            most = r.randint(1, 5)
            self.lines.append(f"  for (int k = 0; k < {r.pick(str(most), f'(int)(u % {most + 1}u)')}; ++k)")
            self.one("    ", more=" + (float)k", times=most)
        elif form == "stencil" and flat:
            view = r.choice(flat)
            self.reads += 9
            self.lines += ["  for (int dy = -1; dy <= 1; ++dy)", "    for (int dx = -1; dx <= 1; ++dx) {", f"      {view.read} s = {view.stencil()};", f"      {self.use(view)}", "    }"]
        elif form == "choice" and alike:
            x, y = r.choice(alike)
            if x.normalized == y.normalized and x.size == y.size or self.style != "exact":
                self.reads += 1
                value = x.sample(named=f"({r.pick('u & 2u', 'i & 32', 'v % 3u')} ? {x.name} : {y.name})")
                if self.style != "near" and (x.normalized, x.size) != (y.normalized, y.size):  # places on the rims of texels
                    return self.one("  ")
                self.lines += ["  {", f"    {x.read} s = {value};", f"    {self.use(x)}", "  }"]
        elif form == "early" and r.chance(0.3):
            self.lines.append(f"  if (u % 17u == 3u) {{\n    out[i] = {'sum' if self.style == 'point' else 'total'};\n    return;\n  }}")
        else:
            self.one("  ")


def samples(r, style=None):
    style = style or r.pick("point", "point", "exact", "near")
    writer = Writer(r, style)
    for _ in range(r.randint(1, 5)):
        writer.statement()
    views, n, block = writer.views, r.randint(1, 400), r.pick(32, 64, 100, 128)
    result = "unsigned" if style == "point" else "float"
    largest = 1 if all(view.fractions for view in views) else 5
    axes = max(AXES[view.shape] for view in views)
    out = f"nearby<float>({n}, 3, {max(1, writer.reads) * (1 << axes) * 2 * largest / 256})" if style == "near" else f"array<{result}>({n}, 3)"
    return text("""$helper
KERNEL kernel(const unsigned *in, $result *out, int n, $parameters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned u = in[i], v = u * 2654435761u + 7u, w = (u >> 11) * 40503u + 3u, sum = u;
  float total = 0.0f;
$body
  out[i] = $value;
}
static void run() {
  unsigned *in = array<unsigned>($n, 0);
  $result *out = $out;
$images
  LAUNCH(kernel, $grid, $block, 0, in, out, $n, $arguments);
  result();
}
""", helper=HELPER, result=result, parameters=", ".join(f"Texture {view.name}" for view in views), body="\n".join(writer.lines), value="sum" if style == "point" else "total", n=n, out=out,
                images="\n".join(line for view in views for line in view.lines()), grid=-(-n // block), block=block, arguments=", ".join(view.name for view in views))


def surfaces(r):
    """Each thread writes an element, or beside the image; other threads read it, with each boundary mode, and as a texture."""
    shape, kind = r.pick("Plane", "Plane", "Line", "Volume", "Lines", "Planes"), r.choice(WHOLE + REAL)
    axes, bytes_of = AXES[shape], BYTES[kind]
    size = [r.randint(1, 40) if axis < axes else 1 for axis in range(2)] + [r.randint(1, 5) if shape in ("Volume", "Lines", "Planes") else 1]
    parts = channels(kind)
    values = [f"({'float' if kind in REAL else 'unsigned'})({value})" for value in r.sample(["(int)(u & 127u)", "(int)(p % 50u)", "(int)(u >> 26)", "(int)(u % 9u)"], len(parts))]
    made = f"({kind})({values[0]})" if len(parts) == 1 else f"make_{kind}({', '.join(values)})"
    layer = {"Lines": ", z", "Planes": ", y, z", "Plane": ", y", "Volume": ", y, z", "Line": ""}[shape]
    suffix = {"Lines": "1DLayered", "Planes": "2DLayered", "Plane": "2D", "Volume": "3D", "Line": "1D"}[shape]
    cast = "(unsigned)(int)" if kind in REAL else "(unsigned)"
    rim = r.pick(0, 0, 1, 2)
    use = "sum = sum * 5u + " + " * 3u + ".join(f"{cast}s{part}" for part in parts) + ";"
    around = r.pick(0, 1, 1, 2)
    mode = r.pick("Zero", "Clamp")
    depth_span = "z" if mode == "Clamp" and shape in LAYERED else r.pick("z", "z + 1")
    places = {1: f"(float)x + 0.5f", 2: "(float)x + 0.5f, (float)y + 0.5f", 3: "(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f"}[axes] + (", z" if shape in LAYERED else "")
    read_layer = layer.replace("z", depth_span)
    if mode == "Clamp" and shape in LAYERED:
        read_layer = layer
    total = (size[0] + 2 * rim) * size[1] * size[2]
    blocks, block = r.randint(1, 3), r.pick(32, 64, 96)
    n = size[0] * size[1] * size[2]
    return text("""KERNEL put(Surface s, const unsigned *in) {
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < $total; p += gridDim.x * blockDim.x) {
    int x = (int)(p % $wide) - $rim, y = (int)(p / $wide % $height), z = (int)(p / ($wide * $height));
    unsigned u = in[p];
    $guard
    surf${suffix}write($made, s, x * $bytes$layer, cudaBoundaryModeZero);
  }
}
KERNEL take(Surface s, Texture t, unsigned *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < $n; i += gridDim.x * blockDim.x) {
    int x = i % $width, y = i / $width % $height, z = i / ($width * $height);
    unsigned sum = out[i];
    for (int d = -$around; d <= $around; ++d) {
      $kind s = surf${suffix}read<$kind>(s_of(s), (x + d) * $bytes$read_layer, cudaBoundaryMode$mode);
      $use
    }
    {
      $kind s = tex$suffix<$kind>(t, $places);
      $use
    }
    out[i] = sum;
  }
}
static void run() {
  unsigned *in = array<unsigned>($total, 0), *out = array<unsigned>($n, 3);
  Image pixels = image<$kind>(Shape::$shape, $width, $height, $depth, 9u, cudaArraySurfaceLoadStore);
  Surface s = surface(pixels);
  Texture t = texture(pixels, {{cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}, false, false, false});
  LAUNCH(put, $blocks, $block, 0, s, in);
  LAUNCH(take, $more, $block, 0, s, t, out);
$again
  result();
}
""".replace("s_of(s)", "surface").replace("KERNEL take(Surface s,", "KERNEL take(Surface surface,"), total=total, wide=f"{size[0] + 2 * rim}u", rim=rim, height=size[1], guard=r.some("if (u % 3u != 0)", 0.4), suffix=suffix, made=made, bytes=bytes_of, layer=layer,
                n=n, width=size[0], around=around, kind=kind, read_layer=read_layer, mode=mode, use=use, places=places, shape=shape, depth=size[2], blocks=blocks, block=block, more=r.randint(1, 4),
                again=r.some(f"  LAUNCH(put, {blocks}, {block}, 0, s, out);\n  LAUNCH(take, {blocks}, {block}, 0, s, t, out);", 0.4) if total <= n else "")
