# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cooperative groups: tiles of all sizes and labelled partitions; clusters that give each other values and sums."""
from words import text


class Writer:
    """Statements for all threads of a block of `threads`, in clusters of `blocks`; 0: without."""

    def __init__(self, r, threads, blocks):
        self.r, self.threads, self.blocks = r, threads, blocks
        self.lines, self.indent, self.left = [], 1, 9

    def emit(self, line):
        self.lines.append("  " * self.indent + line)

    def target(self):
        return self.r.pick("a", "b")

    def value(self):
        r = self.r
        return r.pick("a", "b", "a + b", "a ^ t", "t", "b * 3u", f"a >> {r.randint(1, 9)}", "a & 7u", f"{r.randint(0, 99)}u")

    def condition(self):
        r = self.r
        return r.pick(f"t < {r.randint(0, self.threads)}", "(a & 1u) != 0", "a < b", f"t % {r.randint(2, 5)} == 0", "b > 100u")

    def size(self, most=1024):
        return self.r.choice([s for s in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if s <= most and self.threads % s == 0])

    def tile(self):
        r = self.r
        self.emit(f"{self.target()} {r.pick('+=', '^=')} TILE_{r.pick('SUM', 'SUM', 'LEAST', 'MOST', 'ODD', 'BEFORE', 'BEFORE')}({self.size()}, {self.value()});")

    def some_tiles(self):
        size = self.size(32)
        self.emit(f"if (t / {size}u % {self.r.randint(2, 3)}u == 0)")
        self.emit(f"  {self.target()} += TILE_{self.r.pick('SUM', 'MOST', 'BEFORE')}({size}, {self.value()});")

    def labelled(self):
        self.emit("{")
        self.emit("  unsigned rank;")
        self.emit(f"  {self.target()} += LABELLED(({self.value()}) % {self.r.randint(1, 6)}u, {self.value()}, rank);")
        self.emit(f"  {self.target()} ^= rank;")
        self.emit("}")

    def assign(self):
        if self.r.chance(0.4):
            self.emit(f"if ({self.condition()})")
            self.emit(f"  {self.target()} += {self.value()};")
        else:
            self.emit(f"{self.target()} {self.r.pick('+=', '^=')} {self.value()};")

    def barrier(self):
        """The cluster's, in one piece or in two."""
        self.emit("CLUSTER_ARRIVE();")
        for _ in range(self.r.pick(0, 0, 1, 2)):
            self.r.pick(self.assign, self.tile)()
        self.emit("CLUSTER_WAIT();")

    def exchange(self):
        """Values of other blocks' threads."""
        r = self.r
        self.emit(f"cells[t] = {self.value()};")
        self.barrier()
        of = r.pick("t", f"(t + {r.randint(1, 40)}u) % {self.threads}u", f"a % {self.threads}u", f"{r.randint(0, self.threads - 1)}")
        rank = r.pick(f"(rank + {r.randint(1, 9)}u) % {self.blocks}u", f"{r.randint(0, self.blocks - 1)}", f"b % {self.blocks}u", f"t % {self.blocks}u")
        self.emit(f"{self.target()} += CLUSTER_OF(cells, [{of}], {rank});")
        self.barrier()

    def give(self):
        """Into the memory of another block, each thread of a cluster elsewhere."""
        r = self.r
        self.emit(f"CLUSTER_OF(cells, [(t + {r.randint(0, 40)}u) % {self.threads}u], (rank + {r.randint(0, 9)}u) % {self.blocks}u) = {self.value()};")
        self.barrier()
        self.emit(f"{self.target()} ^= cells[{self.r.pick('t', f'{self.threads - 1}u - t')}];")
        self.barrier()

    def add_up(self):
        """Sums in any block, by atomic operations."""
        r = self.r
        self.emit("if (t < 16)")
        self.emit("  sums[t] = t;")
        self.barrier()
        for _ in range(r.randint(1, 2)):
            self.emit(f"{r.some(f'if ({self.condition()}) ')}atomicAdd(&CLUSTER_OF(sums, [({self.value()}) % 16u], ({self.value()}) % {self.blocks}u), {self.value()});")
        self.barrier()
        self.emit(f"{self.target()} += CLUSTER_OF(sums, [({self.value()}) % 16u], ({self.value()}) % {self.blocks}u);")
        self.barrier()

    def loop(self):
        k = f"k{self.left}"
        self.emit(f"for (int {k} = 0; {k} < {self.r.randint(1, 4)}; ++{k}) {{")
        self.indent += 1
        for _ in range(self.r.randint(1, 2)):
            self.statement()
        self.indent -= 1
        self.emit("}")

    def statement(self):
        self.left -= 1
        if self.left < 0:
            return self.assign()
        choices = [self.tile] * 3 + [self.some_tiles, self.labelled, self.assign]
        if self.blocks:
            choices += [self.exchange] * 3 + [self.give] * 2 + [self.add_up] * 2
        if self.indent < 3:
            choices.append(self.loop)
        return self.r.choice(choices)()


def unit(r, threads, blocks, grid, cluster):
    writer = Writer(r, threads, blocks)
    for _ in range(r.randint(3, 6)):
        writer.statement()
    n = threads * grid[0] * grid[1]
    launch = f"LAUNCH_CLUSTERS(kernel, dim3({grid[0]}, {grid[1]}), {threads}, dim3({cluster[0]}, {cluster[1]}), in, out)" if blocks else f"LAUNCH(kernel, dim3({grid[0]}, {grid[1]}), {threads}, 0, in, out)"
    return text("""KERNEL kernel(const unsigned *in, unsigned *out) {
  $shared
  unsigned t = threadIdx.x, i = (blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x + t, a = in[i], b = t * 5u + 1u;
  $rank
$body
  out[i] = a ^ b * 3u;
}
static void run() {
  unsigned *in = array<unsigned>($n, $limit), *out = array<unsigned>($n, 1);
  $launch;
  result();
}
""", shared=f"SHARED(unsigned, cells, [{threads}]);\n  SHARED(unsigned, sums, [16]);" if blocks else "", rank="unsigned rank = CLUSTER_RANK;\n  CLUSTER_ARRIVE();\n  CLUSTER_WAIT();" if blocks else "",
                body="\n".join(writer.lines), n=n, limit=r.pick(0, 100), launch=launch)


def tiles(r):
    """Tiles of all sizes that fit."""
    return unit(r, r.choice([32, 64, 96, 128, 256, 512]), 0, (r.randint(1, 3), 1), (1, 1))


def clusters(r):
    """Blocks of a cluster, in grids of one and two dimensions."""
    x, y = r.choice([(2, 1), (4, 1), (3, 1), (2, 2), (1, 2), (8, 1), (1, 1), (2, 3)])
    threads = r.choice([32, 64, 96, 128] if x * y > 4 else [32, 64, 128, 160, 256])
    if x * y * threads > 1024:
        threads = 64
    return unit(r, threads, x * y, (x * r.randint(1, 3), y * r.randint(1, 2)), (x, y))
