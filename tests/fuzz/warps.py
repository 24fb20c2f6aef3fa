# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps: votes, shuffles, matches and reductions of whole warps, of parts of them, in branches and loops; ranks of keys."""
from words import dim, text

ALL = "0xffffffffu"


class Writer:
    """Statements for lanes that are all active under the mask `m`; `parts` names a variable that holds it."""

    def __init__(self, r, arms):
        self.r, self.arms = r, arms
        self.lines, self.indent, self.depth, self.names = [], 1, 0, 0
        self.left = 7  # statements; what is nested in loops multiplies, and takes seconds to compile

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def value(self):
        r = self.r
        return r.pick("a", "b", "a + b", "a ^ lane", "lane", "b * 3u", f"a >> {r.randint(1, 9)}", "a & 7u", f"{r.randint(0, 99)}u", "lane * lane")

    def condition(self):
        r = self.r
        return r.pick(f"lane < {r.randint(0, 32)}", "(a & 1u) != 0", "a < b", f"(a & {1 << r.randint(0, 4)}u) != 0", f"lane % {r.randint(2, 5)} == 0", "(lane & 4) == 0", "b > 100u")

    def operation(self, m):
        """One that any set of lanes may do together."""
        r, target = self.r, self.r.pick("a", "b")
        among = [f"{target} ^= __ballot_sync({m}, {self.condition()});", f"{target} += __any_sync({m}, {self.condition()}) ? 3u : 8u;",
                 f"{target} += __all_sync({m}, {self.condition()}) ? 5u : 1u;", f"{target} += __reduce_add_sync({m}, {self.value()});",
                 f"{target} = __reduce_max_sync({m}, {self.value()});", f"{target} ^= __reduce_min_sync({m}, (int)({self.value()}));",
                 f"{target} ^= __reduce_xor_sync({m}, {self.value()});", f"{target} += __match_any_sync({m}, {self.value()} & 3u);",
                 f"{target} ^= (unsigned)__shfl_sync({m}, {self.value()}, __ffs({m}) - 1);", f"{target} += (unsigned)__shfl_sync({m}, (unsigned long long)({self.value()}) * 5, __ffs({m}) - 1);",
                 f"{target} += __popc(__ballot_sync({m}, {self.condition()}) & ((1u << lane) - 1u));",
                 f"{target} += (unsigned)__shfl_sync({m}, (float)(({self.value()}) & 1023u), 31 - __clz({m}));",
                 f"{{ int same; {target} += __match_all_sync({m}, {self.value()} & 1u, &same); {target} += same; }}"]
        if m == ALL:
            width = r.pick(32, 32, 16, 8, 4)
            among += [f"{target} += __shfl_xor_sync({m}, {self.value()}, {r.randint(0, 31)});", f"{target} += __shfl_up_sync({m}, {self.value()}, {r.randint(0, 31)}, {width});",
                      f"{target} ^= __shfl_down_sync({m}, {self.value()}, {r.randint(0, 31)}, {width});", f"{target} = __shfl_sync({m}, {self.value()}, {self.value()}, {width});",
                      f"{target} = (unsigned)__shfl_sync({m}, (int)({self.value()}), {r.randint(0, 40)}, {width});",
                      f"for (int d = 16; d > 0; d >>= 1)\n{'  ' * self.indent}  {target} += __shfl_{r.pick('xor', 'down', 'up')}_sync({m}, {target}, d);",
                      f"for (unsigned d = 1; d < 32; d *= 2) {{\n{'  ' * self.indent}  unsigned x = __shfl_up_sync({m}, {target}, d);\n{'  ' * self.indent}  if (lane >= d)\n{'  ' * self.indent}    {target} += x;\n{'  ' * self.indent}}}",
                      f"{target} = (unsigned)__shfl_xor_sync({m}, (double)({self.value()}), {r.randint(0, 31)});", f"__syncwarp();"]
        else:
            among += [f"__syncwarp({m});"]
        self.emit(r.choice(among))

    def branch(self, m):
        """Lanes of `m` part; each side meets among itself, by masks that a ballot gave."""
        c, taken = self.fresh("c"), self.fresh("m")
        self.emit(f"bool {c} = {self.condition()};")
        self.emit(f"unsigned {taken} = __ballot_sync({m}, {c});")
        self.emit(f"if ({c}) {{")
        self.body(taken)
        if self.r.chance(0.6):
            self.emit("} else {")
            self.body(f"({m} & ~{taken})")
        self.emit("}")

    def loop(self, m):
        """Rounds that all lanes of `m` do, or that they leave one by one with those that stay meeting."""
        k = self.fresh("k")
        if self.r.chance(0.5):
            self.emit(f"for (int {k} = 0; {k} < {self.r.randint(1, 4)}; ++{k}) {{")
            self.body(m)
            self.emit("}")
            return
        left = self.fresh("m")
        self.emit(f"unsigned {left} = {m};")
        self.emit(f"for (int {k} = 0; {k} < 5; ++{k}) {{")
        self.indent += 1
        leaves = self.fresh("c")
        self.emit(f"bool {leaves} = {self.condition()};")
        self.emit(f"{left} &= ~__ballot_sync({left}, {leaves});")
        self.emit(f"if ({leaves})")
        self.emit("  break;")
        self.indent -= 1
        self.body(left)
        self.emit("}")

    def meet(self, m):
        """The same operation in both arms, under one mask: lanes meet at different instructions."""
        self.emit(f"if ({self.condition()})")
        self.emit(f"  a += __shfl_sync({m}, {self.value()}, __ffs({m}) - 1);")
        self.emit("else")
        self.emit(f"  b ^= __shfl_sync({m}, {self.value()}, __ffs({m}) - 1);")

    def assign(self, m):
        if self.r.chance(0.4):
            self.emit(f"if ({self.condition()})")
            self.emit(f"  {self.r.pick('a', 'b')} {self.r.pick('=', '+=', '^=')} {self.value()};")
        else:
            self.emit(f"{self.r.pick('a', 'b')} {self.r.pick('+=', '^=')} {self.value()};")

    def shared(self, m):
        """What lanes of the mask give each other through memory."""
        self.emit(f"__syncwarp({m});")
        self.emit(f"cells[t] = {self.value()};")
        self.emit(f"__syncwarp({m});")
        self.emit(f"{self.r.pick('a', 'b')} += cells[(t & ~31u) + __ffs({m}) - 1];")
        self.emit(f"__syncwarp({m});")

    def body(self, m):
        self.indent += 1
        self.depth += 1
        for _ in range(self.r.randint(1, 3)):
            self.statement(m)
        self.indent -= 1
        self.depth -= 1

    def statement(self, m):
        self.left -= 1
        choices = [self.operation] * 5 + [self.assign] * 2 + [self.shared]
        if self.depth < 3 and self.left > 0:
            choices += [self.branch, self.branch, self.loop]
        if self.arms:
            choices += [self.meet] * 2
        self.r.choice(choices)(m)


def votes(r, arms=False):
    w = Writer(r, arms)
    shape = r.pick((32,), (64,), (128,), (256,), (8, 8), (16, 4), (1024,), (512,), (96,), (4, 4, 4))
    threads = 1
    for length in shape:
        threads *= length
    w.emit("unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), lane = t & 31u;")
    w.emit(f"unsigned i = blockIdx.x * {threads} + t, a = in[i], b = in[i] >> 7;")
    for _ in range(r.randint(3, 8)):
        if r.chance(0.15):
            w.emit("__syncthreads();")
            w.emit("cells[t] = a;")
            w.emit("__syncthreads();")
            w.emit(f"b += cells[(t + {r.randint(0, threads)}) % {threads}u];")
            w.emit("__syncthreads();")
        else:
            w.statement(ALL)
    w.emit("out[i] = a * 31u + b;")
    blocks = r.randint(1, 4)
    return (f"KERNEL kernel(const unsigned *in, unsigned *out) {{\n  SHARED(unsigned, cells, [{threads}]);\n" + "\n".join(w.lines) + "\n}\n" +
            text("""static void run() {
  unsigned *in = array<unsigned>($count, $limit), *out = array<unsigned>($count, 1);
  LAUNCH(kernel, $blocks, $shape, 0, in, out);
  result();
}
""", count=blocks * threads, limit=r.pick(0, 0, 8, 256), blocks=blocks, shape=dim(shape)))


def ranks(r):
    """Keys of a warp, ranked by a match; counters of warps that a scan adds up."""
    warps, rounds, bits = r.pick(1, 2, 4, 8), r.randint(1, 4), r.pick(2, 3, 4, 5)
    digits, pitch = 1 << bits, (1 << bits) + r.pick(0, 0, 1)
    shift = r.pick(0, 0, 4)
    blocks = r.randint(1, 3)
    threads = 32 * warps
    odd = r.pick("", "", "", "", f"if (lane == {r.randint(0, 31)})\n        digit = 0;", "digit ^= k & 1;")
    payload = r.chance(0.25)
    last = r.pick("(peers >> lane) == 1u", "(peers >> lane) == 1u", "__ffs(peers) - 1 == (int)lane", "31 - __clz(peers) == (int)lane")
    partial = r.chance(0.2)
    store = r.pick("out[base + at] = keys[k];", "out[base + at] = keys[k];", "out[base + at] = ranks[k];", "out[base + at] = keys[k] + (unsigned)k;")
    kernel = text("""KERNEL kernel(const unsigned *in, const unsigned *values, unsigned *out, unsigned *also, unsigned n) {
  SHARED(unsigned, counters, [$warps][$pitch]);
  unsigned t = threadIdx.x, warp = t / 32u, lane = t & 31u, base = blockIdx.x * $tile;
  for (unsigned k = t; k < $warps * $pitch; k += $threads)
    counters[k / $pitch][k % $pitch] = 0;
  __syncthreads();
  unsigned keys[$rounds], ranks[$rounds];
  for (int k = 0; k < $rounds; ++k) {
    keys[k] = in[base + warp * $each + k * 32 + lane];
    unsigned digit = keys[k] >> $shift & $most;
    $odd
    unsigned peers = __match_any_sync($mask, digit);
    unsigned old = counters[warp][digit];
    ranks[k] = old + __popc(peers & ((1u << lane) - 1u));
    __syncwarp();
    if ($last)
      counters[warp][digit] = old + __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  unsigned start = 0;
  if (t < $digits)
    for (unsigned d = 0; d < t; ++d)
      for (unsigned w = 0; w < $warps; ++w)
        start += counters[w][d];
  __syncthreads();
  if (t < $digits) {
    unsigned sum = start;
    for (unsigned w = 0; w < $warps; ++w) {
      unsigned count = counters[w][t];
      counters[w][t] = sum;
      sum += count;
    }
  }
  __syncthreads();
  for (int k = 0; k < $rounds; ++k) {
    unsigned digit = keys[k] >> $shift & $most;
    $odd
    unsigned at = counters[warp][digit] + ranks[k];
    $store
    $more
  }
}
""", warps=warps, pitch=pitch, tile=threads * rounds, threads=threads, rounds=rounds, each=32 * rounds, shift=shift, most=digits - 1, odd=odd, mask=ALL, last=last, digits=digits,
                  store=store, more="also[base + at] = values[base + warp * %d + k * 32 + lane];" % (32 * rounds) if payload else "")
    if threads < digits:
        return ranks(r)
    return kernel + text("""static void run() {
  unsigned *in = array<unsigned>($count, $limit), *values = array<unsigned>($count, 0), *out = array<unsigned>($count, 1), *also = array<unsigned>($count, 1);
  LAUNCH(kernel, $blocks, $threads, 0, in, values, out, also, $count);
  result();
}
""", count=threads * rounds * blocks, limit=r.pick(0, 0, 3, 40), blocks=blocks, threads=threads)
