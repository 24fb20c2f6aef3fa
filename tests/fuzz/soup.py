#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of random statements: any control flow around anything that CUDA has, in no order that makes sense.

What C++ or CUDA leave open is avoided:
 - signed arithmetic goes through unsigned; divisors are positive; shift counts are masked;
 - floating-point products never feed a bare sum (__fmul_rn, fmaf), so no choice of contraction shows; a
   NaN's bits never show; minima add +0 so that the sign of zero does not show;
 - barriers, shuffles and votes stand only where all threads of the block (or warp) are: in "uniform"
   context. Divergent context (arms, loops with their own trip counts, switches, helper functions) nests
   freely everywhere, and every loop is bounded;
 - atomics are commutative and their results unused; a barrier stands before what they did is read.

soup.py SEED THREAD prints a program of one unit whose kernel prints that thread's variables (of block 0) after each
outer statement.
"""
import math
import random
import sys

LARGE, SMALL = (40, 8, 14), (8, 2, 5)  # statements in statements; outer ones, from and to
SHAPES = [(64,), (100,), (33,), (128,), (5, 7), (16, 4), (8, 4, 2), (1,), (31,), (96,)]


class Program:
    def __init__(self, seed, traced=None, size=LARGE):
        self.traced, self.size = traced, size
        self.r = random.Random(seed)
        self.lines = []
        self.indent = 1
        self.temporaries = 0
        self.helpers = []  # (name, number of parameters)
        self.loop_depth = 0
        self.budget = 0

    def emit(self, text):
        self.lines.append("  " * self.indent + text)

    # Expressions. `names` maps each type to the variables in scope.
    def leaf(self, kind):
        r = self.r
        if r.random() < 0.75:
            return r.choice(self.names[kind])
        return {
            "i": lambda: str(r.randint(-100, 100)),
            "u": lambda: f"{r.choice([r.randint(0, 40), r.getrandbits(32)])}u",
            "l": lambda: f"{r.randint(-10**12, 10**12)}ll",
            "f": lambda: f"{r.randint(-400, 400) / 16.0!r}f",
            "d": lambda: f"{r.randint(-4000, 4000) / 64.0!r}",
        }[kind]()

    def expr(self, kind, depth=3):
        r = self.r
        if depth == 0 or r.random() < 0.15:
            return self.leaf(kind)
        a = lambda k=kind: self.expr(k, depth - 1)
        return r.choice(getattr(self, "ops_" + kind)(a))()

    def ops_u(self, a):
        r = self.r
        return [
            lambda: f"({a()} {r.choice('+-*&|^')} {a()})",
            lambda: f"({a()} {r.choice(['<<', '>>'])} ({a()} & 31u))",
            lambda: f"({a()} {r.choice('/%')} (({a()} & 0xffu) + 1u))",
            lambda: f"(unsigned)({a('i')})",
            lambda: f"(unsigned)({a('l')} >> {r.randint(0, 40)})",
            lambda: f"({self.condition()} ? {a()} : {a()})",
            lambda: f"min({a()}, {a()})",
            lambda: f"(unsigned)__popc({a()})",
            lambda: f"__brev({a()})",
            lambda: f"__umulhi({a()}, {a()})",
            lambda: f"__funnelshift_l({a()}, {a()}, {a()})",
            lambda: f"(unsigned)(unsigned char)({a()})",
            lambda: f"la[{a()} & 7u]",
        ]

    def ops_i(self, a):
        r = self.r
        ops = [
            lambda: f"(int)((unsigned){a()} {r.choice('+-*')} (unsigned){a()})",
            lambda: f"({a()} {r.choice('&|^')} {a()})",
            lambda: f"({a()} >> ({a('u')} & 31u))",
            lambda: f"({a()} {r.choice('/%')} (int)(({a('u')} & 0x3ffu) + 1u))",
            lambda: f"(int){a('u')}",
            lambda: f"(int)(short)({a()})",
            lambda: f"(int)(signed char)({a('l')})",
            lambda: f"({self.condition()} ? {a()} : {a()})",
            lambda: f"max({a()}, {a()})",
            lambda: f"__float2int_rz({a('f')})",
            lambda: f"__double2int_rn({a('d')})",
            lambda: f"__clz({a()})",
            lambda: f"(int)({self.condition()})",
        ]
        for name, count in self.helpers:
            ops.append(lambda name=name, count=count: f"{name}({', '.join(a() for _ in range(count))})")
        return ops

    def ops_l(self, a):
        r = self.r
        return [
            lambda: f"(long long)((unsigned long long){a()} {r.choice('+-*')} (unsigned long long){a()})",
            lambda: f"({a()} {r.choice('&|^')} {a()})",
            lambda: f"({a()} >> ({a('u')} & 63u))",
            lambda: f"({a()} {r.choice('/%')} (long long)(({a('u')} & 0xfffu) + 1u))",
            lambda: f"(long long){a('i')}",
            lambda: f"(long long){a('u')}",
            lambda: f"__double2ll_rz({a('d')})",
            lambda: f"({self.condition()} ? {a()} : {a()})",
        ]

    def ops_floating(self, a, kind):
        """What there is of both types, `kind` and `f` or nothing behind a function's name."""
        r, name, suffix, others = self.r, *{"f": ("float", "f", "iud"), "d": ("double", "", "ilf")}[kind]
        return [
            lambda: f"({a()} {r.choice('+-')} {a()})",
            lambda: f"__{kind}mul_rn({a()}, {a()})",
            lambda: f"fma{suffix}({a()}, {a()}, {a()})",
            lambda: f"({a()} / {a()})",
            lambda: f"sqrt{suffix}(fabs{suffix}({a()}))",
            *[lambda other=other: f"({name}){a(other)}" for other in others],
        ]

    def ops_f(self, a):
        return self.ops_floating(a, "f") + [
            lambda: f"(fminf({a()}, {a()}) + 0.0f)",
            lambda: f"floorf({a()})",
            lambda: f"({self.condition()} ? {a()} : {a()})",
            lambda: f"(-({a()}))",
        ]

    def ops_d(self, a):
        return self.ops_floating(a, "d") + [
            lambda: f"(fmax({a()}, {a()}) + 0.0)",
            lambda: f"({self.condition()} ? {a()} : {a()})",
        ]

    def condition(self):
        r = self.r
        kind = r.choice("iiuulfd")
        simple = lambda: f"{self.expr(kind, 1)} {r.choice(['<', '<=', '==', '!=', '>', '>='])} {self.expr(kind, 1)}"
        return r.choice([
            simple, simple,
            lambda: f"({self.expr('u', 1)} & {1 << r.randint(0, 5)}u) != 0u",
            lambda: f"({simple()} && {simple()})",
            lambda: f"({simple()} || {simple()})",
            lambda: f"!({simple()})",
        ])()

    def fresh(self):
        self.temporaries += 1
        return f"t{self.temporaries}"

    # Statements for any context.
    def assign(self):
        kind = self.r.choice("iiuulffd")
        self.emit(f"{self.r.choice(self.targets[kind])} = {self.expr(kind)};")

    def local_store(self):
        self.emit(f"la[{self.expr('u', 2)} & 7u] {self.r.choice(['=', '^=', '+='])} {self.expr('u', 2)};")

    def branch(self):
        self.emit(f"if ({self.condition()}) {{")
        self.body(self.divergent)
        if self.r.random() < 0.6:
            self.emit("} else {")
            self.body(self.divergent)
        self.emit("}")

    def loop(self):
        k = self.fresh()
        limit = self.r.choice([f"(int)({self.expr('u', 1)} & 7u)", str(self.r.randint(1, 4))])
        if self.r.random() < 0.5:
            self.emit(f"for (int {k} = 0; {k} < {limit}; {k}++) {{")
        else:
            # A loop that usually ends by its condition and always by its budget.
            self.emit(f"for (int {k} = 0; {k} < 6 && ({self.condition()}); {k}++) {{")
        self.loop_depth += 1
        saved = self.names
        self.names = {kind: list(v) for kind, v in saved.items()}
        self.names["i"].append(k)
        self.body(self.divergent)
        self.names = saved
        self.loop_depth -= 1
        self.emit("}")

    def leave(self):
        if self.loop_depth == 0:
            return self.assign()
        self.emit(f"if ({self.condition()})")
        self.emit(f"  {self.r.choice(['break', 'continue'])};")

    def switch(self):
        self.emit(f"switch ({self.expr('u', 2)} & 3u) {{")
        saved, self.loop_depth = self.loop_depth, 0
        for case in self.r.sample(["case 0u:", "case 1u:", "case 2u:", "default:"], self.r.randint(2, 4)):
            self.emit(f"{case} {{")
            self.body(self.divergent)
            self.emit("}")
            if self.r.random() < 0.7:
                self.emit("  break;")
        self.loop_depth = saved
        self.emit("}")

    def body(self, statement):
        self.indent += 1
        for _ in range(self.r.randint(1, 3)):
            statement()
        self.indent -= 1

    def divergent(self):
        self.budget -= 1
        simple = [self.assign, self.assign, self.local_store, self.leave]
        if self.budget > 0 and self.indent < 6:
            self.r.choice(simple + [self.branch, self.branch, self.loop, self.switch])()
        else:
            self.r.choice(simple)()

    # Statements for uniform context only.
    def exchange(self):
        kind = self.r.choice("uifdl")
        array = {"u": "shU", "i": "shI", "f": "shF", "d": "shD", "l": "shL"}[kind]
        self.emit("__syncthreads();")
        self.emit(f"{array}[t] = {self.expr(kind, 2)};")
        self.emit("__syncthreads();")
        self.emit(f"{self.r.choice(self.targets[kind])} = {array}[(t + {self.expr('u', 1)} % {self.r.randint(1, 40)}u) % threads];")

    def shuffle(self):
        kind = self.r.choice("uifdl")
        target, value = self.r.choice(self.targets[kind]), self.expr(kind, 2)
        self.emit(f"{target} = __shfl_sync(warpMask, {value}, (int)((lane + {self.expr('u', 1)}) % warpLanes));")

    def vote(self):
        target = self.r.choice(self.targets["u"])
        self.emit(self.r.choice([
            lambda: f"{target} ^= __ballot_sync(warpMask, {self.condition()});",
            lambda: f"{target} += __any_sync(warpMask, {self.condition()}) ? 5u : 3u;",
            lambda: f"{target} += (unsigned)__syncthreads_count({self.condition()});",
            lambda: f"{target} ^= __reduce_add_sync(warpMask, {self.expr('u', 2)});",
            lambda: f"{target} ^= __reduce_max_sync(warpMask, {self.expr('u', 2)});",
            lambda: f"{target} ^= __match_any_sync(warpMask, {self.expr('u', 2)} & 3u);",
        ])())

    def atomic(self):
        op = self.r.choice(["atomicAdd", "atomicXor", "atomicMax", "atomicOr"])
        self.emit("__syncthreads();")
        self.emit("for (unsigned k = t; k < 8u; k += threads)")
        self.emit("  cells[k] = k;")
        self.emit("__syncthreads();")
        if self.r.random() < 0.5:
            self.emit(f"if ({self.condition()})")
            self.emit(f"  {op}(&cells[{self.expr('u', 1)} & 7u], {self.expr('u', 2)});")
        else:
            self.emit(f"{op}(&cells[{self.r.randint(0, 7)}], {self.expr('u', 2)});")
        self.emit("__syncthreads();")
        self.emit(f"{self.r.choice(self.targets['u'])} += cells[{self.expr('u', 1)} & 7u];")

    def uniform_branch(self):
        self.emit(f"if ((parameter >> {self.r.randint(0, 5)} & 1u) {self.r.choice(['==', '!='])} 0u) {{")
        self.body(self.uniform)
        if self.r.random() < 0.5:
            self.emit("} else {")
            self.body(self.uniform)
        self.emit("}")

    def uniform_loop(self):
        k = self.fresh()
        self.emit(f"for (unsigned {k} = 0; {k} < (parameter >> {self.r.randint(0, 3)} & 3u) + blockIdx.x % 2u; {k}++) {{")
        self.body(self.uniform)
        self.emit("}")

    def uniform(self):
        self.budget -= 1
        choices = [self.exchange, self.shuffle, self.vote, self.atomic, self.assign, self.branch, self.loop, self.switch]
        if self.budget > 0 and self.indent < 4:
            choices += [self.uniform_branch, self.uniform_loop]
        self.r.choice(choices)()

    def helper(self, number):
        """A function with divergent control flow, sometimes recursive with a bounded depth."""
        count = self.r.randint(1, 2)
        name = f"helper{number}"
        parameters = [f"a{i}" for i in range(count)]
        head = ", ".join(f"int {p}" for p in parameters)
        inline = self.r.choice(["", "__noinline__ "])
        recursive = self.r.random() < 0.4
        if recursive:
            head += ", int depth = 0"
        self.lines.append(f"DEVICE {inline}int {name}({head}) {{")
        self.names = {"i": parameters + ["v"], "u": ["w"], "l": ["x"], "f": ["y"], "d": ["z"]}
        self.targets = {"i": ["v"], "u": ["w"], "l": ["x"], "f": ["y"], "d": ["z"]}
        self.emit("int v = a0;")
        self.emit("unsigned w = 3u, la[8] = {1, 2, 3, 4, 5, 6, 7, 8};")
        self.emit("long long x = 5;")
        self.emit("float y = 1.5f;")
        self.emit("double z = 2.5;")
        self.budget = 5
        for _ in range(self.r.randint(2, 4)):
            self.divergent()
        if self.r.random() < 0.5:
            self.emit(f"if ({self.condition()})")
            self.emit("  return v;")
        if recursive:
            arguments = ", ".join(self.expr("i", 1) for _ in parameters)
            self.emit(f"if (depth < 3 && {self.condition()})")
            self.emit(f"  v ^= {name}({arguments}, depth + 1);")
        self.emit("return (int)((unsigned)v + w + (unsigned)x);")
        self.lines.append("}")
        self.helpers.append((name, count))

    def trace(self, step, variables):
        names = [v for kind in "iulfd" for v in variables[kind]] + [f"la[{k}]" for k in range(8)]
        formats = " ".join({"i": "%d", "u": "%u", "l": "%lld", "f": "%a", "d": "%a"}[v[0] if v[1] != "a" else "u"]
                           for v in names)
        self.emit(f'if (blockIdx.x == 0 && t == {self.traced}u)')
        self.emit(f'  printf("step {step}: {formats}\\n", {", ".join(names)});')

    def kernel(self):
        self.lines.append("KERNEL kernel(const unsigned *in, unsigned long long *out, unsigned parameter) {")
        self.emit("SHARED(unsigned, shU, [128]);")
        self.emit("SHARED(unsigned, cells, [8]);")
        self.emit("SHARED(int, shI, [128]);")
        self.emit("SHARED(float, shF, [128]);")
        self.emit("SHARED(double, shD, [128]);")
        self.emit("SHARED(long long, shL, [128]);")
        self.emit("unsigned threads = blockDim.x * blockDim.y * blockDim.z;")
        self.emit("unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), lane = t & 31u;")
        self.emit("unsigned warpLanes = min(32u, threads - (t & ~31u));")
        self.emit("unsigned warpMask = warpLanes == 32u ? 0xffffffffu : (1u << warpLanes) - 1u;")
        self.emit("const unsigned *mine = in + (blockIdx.x * threads + t) * 4u;")
        self.emit("unsigned u0 = mine[0], u1 = mine[1], u2 = t, la[8] = {u0, 1u, u1, 3u, t, 5u, 6u, 7u};")
        self.emit("int i0 = (int)mine[2], i1 = (int)(mine[3] & 0xffu), i2 = (int)blockIdx.x;")
        self.emit("long long l0 = (long long)((unsigned long long)mine[0] * mine[1]), l1 = i0;")
        self.emit("float f0 = (float)(i0 % 1000) / 8.0f, f1 = (float)i1, f2 = 0.5f;")
        self.emit("double d0 = (double)i0 / 16.0, d1 = 1.25;")
        variables = {"i": ["i0", "i1", "i2"], "u": ["u0", "u1", "u2"], "l": ["l0", "l1"], "f": ["f0", "f1", "f2"],
                     "d": ["d0", "d1"]}
        self.targets = variables
        self.names = {kind: list(v) for kind, v in variables.items()}
        self.names["u"] += ["t", "lane", "parameter"]
        self.budget = self.size[0]
        for step in range(self.r.randint(*self.size[1:])):
            self.uniform()
            if self.traced is not None:
                self.trace(step, variables)
        self.emit("unsigned long long h = 14695981039346656037ull;")
        for v in [v for kind in "iul" for v in variables[kind]]:
            self.emit(f"h = mix(h, (unsigned long long){v});")
        for v in variables["f"] + variables["d"]:
            self.emit(f"h = mix(h, bits({v}));")
        self.emit("for (int k = 0; k < 8; k++)")
        self.emit("  h = mix(h, la[k]);")
        self.emit("out[blockIdx.x * threads + t] = h;")
        self.lines.append("}")


PROLOGUE = """\
DEVICE unsigned long long mix(unsigned long long h, unsigned long long v) {
  h = (h ^ v) * 1099511628211ull;
  return h ^ h >> 29;
}
DEVICE unsigned long long bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
DEVICE unsigned long long bits(double x) {
  return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
}
"""

RUN = """\
static void run() {{
  unsigned *in = array<unsigned>({total} * 4, 0);
  unsigned long long *out = array<unsigned long long>({total}, 1);
  LAUNCH(kernel, 3, dim3({shape}), 0, in, out, {parameter}u);
  result();
}}
"""


def unit(seed, traced=None, size=LARGE):
    """The text of a unit."""
    p = Program(seed, traced, size)
    for number in range(p.r.randint(0, 3)):
        p.helper(number)
    p.kernel()
    shape = p.r.choice(SHAPES)
    total = 3 * math.prod(shape)
    run = RUN.format(shape=", ".join(map(str, shape)), total=total, parameter=p.r.randint(0, 255))
    return PROLOGUE + "\n".join(p.lines) + "\n\n" + run


if __name__ == "__main__":
    import generate
    sys.stdout.write(generate.render([("u" + sys.argv[1] + "_soup", unit(int(sys.argv[1]), *map(int, sys.argv[2:3])))]))
