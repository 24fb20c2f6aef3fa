# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests: loops within loops that lanes leave from everywhere, at their own times, and enter again, around short integer statements.

Loops are counted, or end within an inner loop alone, by a count that begins as the same in all threads; they have `break`,
`continue`, jumps out of several loops at once, and a return. Counts only fall, so every loop ends.

Ways: blocks that lead to any others, so that loops have several entries, and begin in the midst of each other. What goes back
takes from a count.
"""
import math

from words import dim, text


class Writer:
    def __init__(self, r):
        self.r = r
        self.lines, self.indent, self.number = [], 1, 0
        self.values = ["a", "b", "c", "t & 31u", "t", "parameter"]
        self.ways_out = []  # statements that leave a loop, or more
        self.left = 25  # statements

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def fresh(self):
        self.number += 1
        return self.number

    def value(self):
        r = self.r
        x, y = (r.choice(self.values + [f"{r.randint(0, 40)}u"]) for _ in range(2))
        return r.pick(f"({x}) + ({y})", f"({x}) ^ ({y})", f"({x}) * 3u + ({y})", f"({x}) >> (({y}) & 31u)", f"({x}) & ({y})")

    def condition(self):
        r = self.r
        return f"(({self.value()}) & {r.pick(1, 3, 7, 15)}u) {r.pick('<', '==', '!=', '>')} {r.randint(0, 7)}u"

    def body(self, count=None, ways_out=()):
        """Statements in which `count` may be read and the loop left."""
        values, outer = self.values, self.ways_out
        if count:
            self.values = values + [f"(unsigned){count}"]
        self.ways_out = outer + list(ways_out)
        self.indent += 1
        for _ in range(self.r.randint(1, 3)):
            self.statement()
        self.indent -= 1
        self.values, self.ways_out = values, outer

    def assign(self):
        self.emit(self.r.pick("a = $;", "b = $;", "c += $;", f"cells[{self.r.randint(0, 7)}] = $;", "cells[b & 7u] ^= $;", "a += cells[c & 7u] + ($);")
                  .replace("$", self.value()))

    def leave(self):
        if not self.ways_out:
            return self.assign()
        self.emit(f"if ({self.condition()})")
        self.emit(f"  {self.r.choice(self.ways_out)}")

    def branch(self):
        self.emit(f"if ({self.condition()}) {{")
        self.body()
        if self.r.chance(0.5):
            self.emit("} else {")
            self.body()
        self.emit("}")

    def counted(self):
        n = self.fresh()
        self.inside(lambda ways: (self.emit(f"for (int k{n} = 0; k{n} < {self.r.randint(1, 6)} && ({self.condition()}); k{n}++) {{"),
                                  self.body(f"k{n}", ways), self.emit("}")), n)

    def until(self):
        n = self.fresh()
        self.inside(lambda ways: (self.emit(f"for (int k{n} = {self.r.randint(1, 7)}; ; ) {{"), self.emit(f"  if (--k{n} < 0) break;"),
                                  self.body(f"k{n}", ways), self.emit(f"  if ({self.condition()}) break;"), self.emit("}")), n)

    def inside(self, loop, number):
        """A loop with the jumps out of it: `break` and `continue` of outer loops are no longer ways out of this one."""
        outer = self.ways_out
        label = f"goto out{number};"
        self.ways_out = [way for way in outer if way not in ("break;", "continue;")]
        loop([label, "continue;", "break;"])
        if any(label in line for line in self.lines):
            self.emit(f"out{number}:;")
        self.ways_out = outer

    def inner_exit(self):
        """An outer loop that ends within an inner one alone."""
        n = self.fresh()

        def loop(ways):
            self.emit(f"for (int k{n} = {self.r.randint(2, 9)}, gone{n} = 0;; --k{n}) {{")
            self.emit(f"  while (k{n} <= 0 || ({self.condition()})) {{")
            self.emit(f"    if (--k{n} <= 0) {{ gone{n} = 1; break; }}")
            self.indent += 1
            self.body(f"k{n}", ways)
            self.indent -= 1
            self.emit("  }")
            self.emit(f"  if (gone{n}) break;")
            self.body(f"k{n}", ways)
            self.emit("}")

        self.inside(loop, n)

    def statement(self):
        self.left -= 1
        choices = [self.assign] * 3 + [self.leave]
        if self.left > 0 and self.indent < 6:
            choices += [self.branch, self.counted, self.until, self.inner_exit, self.inner_exit]
        self.r.choice(choices)()


def unit(r, w):
    """With the writer's statements as a function of a thread."""
    shape = r.pick((32,), (64,), (61,), (100,), (8, 8), (5, 7), (128,))
    threads, blocks = math.prod(shape), r.randint(1, 3)
    return ("DEVICE unsigned thread(unsigned t, unsigned a, unsigned b, unsigned parameter, unsigned *cells) {\n  unsigned c = t;\n" +
            "\n".join(w.lines) + "\n" + text("""  for (int k = 0; k < 8; k++)
    c = c * 31u + cells[k];
  return (a * 31u + b) * 31u + c;
}
KERNEL kernel(const unsigned *in, unsigned *out, unsigned parameter) {
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), i = blockIdx.x * ${threads}u + t;
  unsigned cells[8] = {in[i], 1u, in[i] >> 3, 3u, t, 5u, 6u, 7u};
  out[i] = thread(t, in[i], in[i] >> 9, parameter, cells);
}
static void run() {
  unsigned *in = array<unsigned>($count, $limit), *out = array<unsigned>($count, 1);
  LAUNCH(kernel, $blocks, $shape, 0, in, out, ${parameter}u);
  result();
}
""", count=blocks * threads, limit=r.pick(0, 0, 8, 256), blocks=blocks, shape=dim(shape), threads=threads, parameter=r.randint(0, 255)))


def nests(r):
    w = Writer(r)
    if r.chance(0.4):
        w.ways_out.append("return a + c;")
    for _ in range(r.randint(2, 4)):
        w.statement()
    return unit(r, w)


def ways(r):
    w = Writer(r)
    blocks = r.randint(3, 10)
    shared = r.chance(0.5)  # one count for all ways back, else some for themselves
    counts = ["left"] if shared else [f"left{k}" for k in range(r.randint(2, 4))]
    w.values += [f"(unsigned){count}" for count in counts]
    for count in counts:
        w.emit(f"int {count} = {r.randint(3, 24 if shared else 9)};")

    def jump(block, target):
        if target > block:
            return f"goto block{target};"
        count = r.choice(counts)
        return f"{{ if (--{count} < 0) goto block{blocks}; goto block{target}; }}"

    if r.chance(0.5):
        w.emit(f"if ({w.condition()}) {jump(-1, r.randint(0, blocks))}")
    for block in range(blocks):
        w.emit(f"block{block}:;")
        for _ in range(r.randint(0, 2)):
            w.assign()
        for _ in range(r.randint(0, 2)):
            w.emit(f"if ({w.condition()}) {jump(block, r.randint(0, blocks))}")
        if r.chance(0.3):
            w.emit(jump(block, r.randint(0, blocks)))
    w.emit(f"block{blocks}:;")
    return unit(r, w)
