# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that say which others they come after: kernels, copies and fills of some arrays, run once or again and again."""
from words import text

ARRAYS = "abcdef"


def kernel_step(r, n, block):
    """Text of a step, the arrays that it reads, and those that it changes."""
    form = r.pick("mix", "mix", "turn", "sums", "tiles")
    to, first, second = r.choice(ARRAYS), r.choice(ARRAYS), r.choice(ARRAYS)
    while first == to or second == to:
        first, second = r.choice(ARRAYS), r.choice(ARRAYS)
    launch = f"{r.randint(1, 4) if form != 'tiles' else -(-n // block)}, {block}"
    arguments = {
        "mix": f"{to}, {first}, {second}, {n}, {r.randint(0, 9)}u, {r.randint(0, n)}",
        "turn": f"{to}, {first}, {n}",
        "sums": f"{to}, {first}, {n}, {r.randint(1, min(n, 70))}",
        "tiles": f"{to}, {first}, {n}",
    }[form]
    return f"STEP({form}, {launch}, {arguments});", {first, second} if form == "mix" else {first}, {to}


def step(r, n, block):
    if r.chance(0.7):
        return kernel_step(r, n, block)
    to, source = r.sample(ARRAYS, 2)
    if r.chance(0.5):
        count = r.randint(1, n)
        return f"copyBytes({to} + {n - count}, {source}{r.some(f' + {r.randint(0, n - count)}')}, {4 * count});", {source}, {to}
    count = r.randint(1, 4 * n)
    return f"fillBytes({to}, {r.randint(0, 255)}, {count});", set(), {to}


def edges(r, steps):
    """For each step those before it that touch what it changes, or change what it reads. Some that others imply are left out."""
    found, reached = [], []
    for i, (_, reads, writes) in enumerate(steps):
        before, above = [], set()
        for k in reversed(range(i)):
            _, others, changed = steps[k]
            if not (changed & (reads | writes) or others & writes):
                continue
            if k not in above or r.chance(0.3):
                before.append(k)
            above |= {k} | reached[k]
        found.append(before)
        reached.append(above)
    return found


def graphs(r):
    n, block = r.randint(1, 700), r.pick(32, 64, 96, 128)
    lines = []
    for _ in range(r.randint(1, 2)):
        steps = [step(r, n, block) for _ in range(r.randint(2, 14))]
        for (line, _, _), before in zip(steps, edges(r, steps)):
            lines.append(f"  {line}")
            if before:
                lines.append(f"  after({{{', '.join(map(str, before))}}});")
        lines += [f"  playSteps({r.pick(1, 1, 2, 3)});", "  result();"]
    return text("""KERNEL mix(unsigned *to, const unsigned *x, const unsigned *y, int n, unsigned factor, int shift) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = x[i] * factor + y[(i + shift) % n] + 1u;
}
KERNEL turn(unsigned *to, const unsigned *from, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] ^= from[n - 1 - i] >> 1;
}
KERNEL sums(unsigned *to, const unsigned *from, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&to[from[i] % bins], from[i] & 15u);
}
KERNEL tiles(unsigned *to, const unsigned *from, int n) {
  SHARED(unsigned, tile, [$block]);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? from[i] : 7u;
  __syncthreads();
  if (i < n)
    to[i] += tile[$block - 1 - t] + tile[(t + 1) % $block];
}
static void run() {
$arrays
$lines
}
""", block=block, arrays="\n".join(f"  unsigned *{name} = array<unsigned>({n}, {r.pick(0, 100)});" for name in ARRAYS), lines="\n".join(lines))
