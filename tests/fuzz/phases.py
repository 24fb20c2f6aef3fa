# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that store to shared memory at one place a thread, wait, and read at another: any pattern, any guards, in loops.

Between two barriers a tile is written by one statement, at places that no two threads share, or it is read.
"""
from words import dim, text


class Writer:
    def __init__(self, r):
        self.r = r
        self.lines = []
        self.indent = 1
        self.kinds = ["unsigned", r.pick("float", "int", "unsigned char", "short", "unsigned long long", "double")]
        self.shape = r.pick((32,), (64,), (16, 4), (8, 8), (32, 4), (128,), (96,), (33,), (256,), (16, 16), (4, 4, 4), (1,), (512,), (7, 3))
        self.threads = 1
        for length in self.shape:
            self.threads *= length
        self.cells = self.threads + r.pick(0, 0, 1, 8, self.threads)
        self.names = ["u", "v", "t"]
        self.depth = 0

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def place(self):
        """Of a thread, below `cells`, of no other thread."""
        r, n = self.r, self.threads
        odd = r.pick(1, 3, 5, 7, 11)
        choices = ["t", "t", f"{n - 1} - t", f"(t + {r.randint(0, n)}) % {n}", f"t + {self.cells - n}"]
        if n & (n - 1) == 0:
            choices += [f"(t ^ {r.randint(0, n - 1)})", f"(t * {odd} + {r.randint(0, 9)}) & {n - 1}", f"(t ^ (k & {n - 1}))"]
        if self.cells >= 2 * n:
            choices += ["2 * t", "2 * t + 1", f"t + (k & 1) * {n}"]
        if len(self.shape) == 2:
            choices += [f"threadIdx.x * {self.shape[1]} + threadIdx.y"]
        return r.choice(choices)

    def anywhere(self):
        r, c = self.r, self.cells
        return r.pick(f"(t + {r.randint(0, c)}) % {c}", f"(t + k) % {c}", f"u % {c}", f"t / {r.randint(1, 5)}", str(r.randint(0, c - 1)),
                      f"(t * {r.randint(1, 9)}) % {c}", "t", f"(t > 0 ? t - 1 : 0)", f"(t + 1 < {c} ? t + 1 : t)", f"(t ^ 1) % {c}",
                      f"(k + {r.randint(0, 3)}) % {c}")

    def value(self):
        r = self.r
        return r.pick("u", "v", "u + v", "u * 3 + t", "v ^ t", f"u >> {r.randint(1, 20)}", f"{r.randint(0, 99)}u", "k + t", "in[t]", f"in[t + {r.randint(0, 64)}]")

    def condition(self, uniform=False):
        r = self.r
        if uniform:
            return r.pick(f"(p >> {r.randint(0, 4)} & 1) != 0", f"blockIdx.x == {r.randint(0, 2)}", f"(k & 1) == {r.randint(0, 1)}", f"k < {r.randint(0, 5)}")
        return r.pick(f"t < {r.randint(0, self.threads)}", f"t >= {r.randint(0, self.threads)}", "(t & 1) == 0", f"t == {r.randint(0, self.threads - 1)}",
                      f"(u & {1 << r.randint(0, 8)}) != 0", "u < v", f"t < n", f"t + {r.randint(0, 9)} < n", f"t % {r.randint(2, 7)} == 1",
                      f"t > k", f"(t >> {r.randint(0, 5)} & 1) == (k & 1)", f"threadIdx.x == 0", f"threadIdx.x > 0 && t < n")

    def cast(self, tile, value):
        kind = self.kinds[tile]
        return f"({kind})(({value}) & 0xffffu)" if kind in ("float", "double") else f"({kind})({value})"

    def read(self, tile, place):
        kind = self.kinds[tile]
        return f"(unsigned)tile{tile}[{place}]"

    def store(self):
        r, tile = self.r, self.r.randint(0, 1)
        guard = r.chance(0.5)
        self.emit("__syncthreads();")
        if guard:
            self.emit(f"if ({self.condition()})")
        self.emit(("  " if guard else "") + f"tile{tile}[{self.place()}] = {self.cast(tile, self.value())};")
        if guard and r.chance(0.2) and False:
            pass
        self.emit("__syncthreads();")

    def both(self):
        """Two tiles at a time, one barrier."""
        self.emit("__syncthreads();")
        for tile in range(2):
            if self.r.chance(0.3):
                self.emit(f"if ({self.condition()})")
            self.emit(f"  tile{tile}[{self.place()}] = {self.cast(tile, self.value())};")
        self.emit("__syncthreads();")

    def load(self):
        r, tile = self.r, self.r.randint(0, 1)
        target = r.pick("u", "v")
        if r.chance(0.3):
            self.emit(f"if ({self.condition()})")
        if r.chance(0.25):
            self.emit(f"for (unsigned j = 0; j < {r.randint(1, 9)}; ++j)")
            self.emit(f"  {target} {r.pick('+=', '^=')} {self.read(tile, f'(t + j * {r.randint(1, 5)}) % {self.cells}')};")
        else:
            self.emit(f"  {target} {r.pick('=', '+=', '^=')} {self.read(tile, self.anywhere())};")

    def update(self):
        """A thread's own place, read and written without a barrier."""
        r, tile = self.r, self.r.randint(0, 1)
        place = self.place()
        self.emit("__syncthreads();")
        if r.chance(0.5):
            self.emit(f"if ({self.condition()})")
        self.emit(f"  tile{tile}[{place}] = {self.cast(tile, f'{self.read(tile, place)} * 5 + {self.value()}')};")
        self.emit("__syncthreads();")

    def global_store(self):
        r = self.r
        if r.chance(0.5):
            self.emit(f"if ({self.condition()})")
        self.emit(f"  out[t + {r.randint(0, 3)} * {self.threads}] {r.pick('=', '+=')} {self.value() if r.chance(0.5) else self.read(0, self.anywhere())};")

    def uniform_if(self):
        self.emit(f"if ({self.condition(uniform=True)}) {{")
        self.block()
        if self.r.chance(0.4):
            self.emit("} else {")
            self.block()
        self.emit("}")

    def loop(self):
        r = self.r
        saved = "s%d" % len(self.lines)
        self.emit(f"unsigned {saved} = k;")
        head = r.pick(f"for (k = 0; k < {r.randint(1, 6)}; ++k) {{", f"for (k = 1; k < {self.threads}; k *= 2) {{", "for (k = 0; k < (p & 3u); ++k) {",
                      f"for (k = {self.threads} / 2; k > 0; k /= 2) {{", f"for (k = 0; k < n; k += {max(1, self.threads // 3)}) {{")
        self.emit(head)
        self.block()
        if r.chance(0.2):
            self.emit(f"  if ({r.pick('(p & 8u) != 0', 'k == 2', 'blockIdx.x == 1')})")
            self.emit("    break;")
        self.emit("}")
        self.emit(f"k = {saved};")

    def tree(self):
        """A sum, minimum, ... of the block; sometimes of not quite all."""
        r = self.r
        op = r.pick("a + b", "a ^ b", "a < b ? a : b", "a > b ? a : b", "a & b", "a | b", "a * 3 + b")
        self.emit("__syncthreads();")
        self.emit(f"tile0[t] = {self.value()};")
        self.emit("__syncthreads();")
        half = 1
        while half * 2 <= self.threads:
            half *= 2
        stop = r.pick(0, 0, 0, 1)
        self.emit(r.pick(f"for (unsigned h = {half}; h > {stop}; h /= 2) {{", f"for (unsigned h = {half} / 2; h > {stop}; h >>= 1) {{"))
        self.emit(f"  if (t < h && t + h < {r.pick(str(self.threads), str(self.threads), 'n')}) {{")
        self.emit("    unsigned a = tile0[t], b = tile0[t + h];")
        self.emit(f"    tile0[t] = {op};")
        self.emit("  }")
        self.emit("  __syncthreads();")
        self.emit("}")
        self.emit(f"{r.pick('u', 'v')} += tile0[{r.pick('0', '0', '0', 't / 2', 't')}];")

    def scan(self):
        self.emit("__syncthreads();")
        self.emit(f"tile0[t] = {self.value()};")
        self.emit("__syncthreads();")
        self.emit(f"for (unsigned h = 1; h < {self.threads}; h *= 2) {{")
        self.emit("  unsigned x = t >= h ? tile0[t - h] : 0;")
        self.emit("  __syncthreads();")
        self.emit(f"  tile0[t] {self.r.pick('+=', '^=')} x;")
        self.emit("  __syncthreads();")
        self.emit("}")
        self.emit("u += tile0[t];")

    def block(self):
        self.indent += 1
        self.depth += 1
        for _ in range(self.r.randint(1, 3)):
            self.statement()
        self.depth -= 1
        self.indent -= 1

    def statement(self):
        choices = [self.store] * 4 + [self.load] * 5 + [self.both] * 2 + [self.update] * 2 + [self.global_store]
        if self.depth < 2:
            choices += [self.uniform_if, self.loop, self.loop]
        if self.depth < 2:
            choices += [self.tree, self.scan]
        self.r.choice(choices)()


def phases(r):
    w = Writer(r)
    w.emit("unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), k = 0;")
    stride = 4 * w.threads + r.pick(0, 3)
    w.emit(f"out += blockIdx.x * {stride};")
    w.emit("unsigned u = in[t], v = t * 7;")
    for tile in range(2):
        w.emit(f"for (unsigned i = t; i < {w.cells}; i += {w.threads})")
        w.emit(f"  tile{tile}[i] = i + {tile};")
    w.emit("__syncthreads();")
    for _ in range(r.randint(3, 8)):
        w.statement()
    if r.chance(0.15):
        w.emit(f"if ({w.condition()})")
        w.emit("  return;")
    w.emit("__syncthreads();")
    w.emit("out[t] = u * 31 + v;")
    dynamic = r.chance(0.3)
    if dynamic:
        shared = f"  DYNAMIC(unsigned, tile0);\n  {w.kinds[1]} *tile1 = ({w.kinds[1]} *)(tile0 + {(w.cells + 3) // 4 * 4});\n"
    else:
        shared = f"  SHARED(unsigned, tile0, [{w.cells}]);\n  SHARED({w.kinds[1]}, tile1, [{w.cells}]);\n"
    size = (w.cells + 3) // 4 * 16 + w.cells * 8 if dynamic else 0
    blocks = r.randint(1, 3)
    kernel = "KERNEL kernel(const unsigned *in, unsigned *out, unsigned n, unsigned p) {\n" + shared + "\n".join(w.lines) + "\n}\n"
    launches = []
    for _ in range(r.randint(1, 2)):
        n = r.pick(w.threads, w.threads, r.randint(0, w.threads))
        launches += [f"  LAUNCH(kernel, {blocks}, {dim(w.shape)}, {size}, in, out, {n}, {r.randint(0, 31)});", "  result();"]
    return kernel + text("""static void run() {
  unsigned *in = array<unsigned>($count, 0), *out = array<unsigned>($results, 0);
$launches
}
""", count=w.threads + 70, results=blocks * stride + 8, launches="\n".join(launches))
