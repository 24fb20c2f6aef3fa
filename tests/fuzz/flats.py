# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flat indices that are taken apart by / and %, periodic neighbours, with divisors that the launch gives or the kernel knows, and with numbers
that threads have counted, chosen or loaded. Each kernel is launched with several divisors."""
from words import dim, text

LAUNCHES = 6  # of each kernel


def own(r):
    """A small number that each thread has for itself: out of a loop, of a branch, of a table, and what they make of it."""
    most = f"most[i % {r.pick(1, 4, 32, 64)}]"
    return r.pick(
        f"    while ((own + 1) * (own + 1) < {most})\n      own++;",
        f"    if ({most} & {r.pick(1, 2, 4)})\n      own = {most} & 8 ? {r.randint(0, 5)} : {r.randint(0, 5)};",
        f"    if (x >= {r.randint(1, 40)})\n      own = {r.randint(1, 6)};",
        f"    own = {most} % {r.randint(1, 9)};",
        f"    for (own = 0; own < {r.randint(1, 6)}; own++)\n      if (own == {most} || own == y)\n        break;",
        f"    for (int k = 0; k < (int){most} % 5; k++)\n      own = (own + {r.randint(1, 3)} + x) % p % 11;",
        f"    own = blockIdx.x % {r.randint(1, 3)};\n    if (a < s + {r.randint(0, 99)})\n      own = own + 2;")


def uses(r, kind, signed):
    """Accesses, and sums of the numbers themselves."""
    d = r.randint(1, 3)
    far = r.pick("own", f"{r.randint(1, 7)} * own", f"own * own", str(d), str(d))
    back = f"(x - {d} + p) % p" if signed else f"(x + (p - {d} % p)) % p"
    over = r.pick("x", f"(x + {far}) % p", f"(x + {d}) % p", f"((x + {d}) % p + {far}) % p", back, f"x >= {d} ? x - {d} : 0")
    up = f"(y - {d} + q) % q" if signed else f"(y + (q - {d} % q)) % q"
    down = r.pick("y", "y", f"(y + {far}) % q", f"(y + {d}) % q", up)
    index = f"(z * q + (({down}) + q) % q) * p + (({over}) + p) % p + slack" if signed else f"(z * q + ({down})) * p + ({over}) + slack"
    return r.pick(
        f"    sum += in[{index}] * {r.randint(1, 9)}u;",
        f"    sum ^= in[{index}];",
        f"    if (x % 2 == {r.randint(0, 1)})\n      sum += in[{index}];",
        f"    if (own > {r.randint(0, 3)})\n      sum += in[{index}] + (unsigned)x;",
        f"    for ({kind} k = 0; k < {r.randint(1, 5)}; k++)\n      sum += in[((x + k) % p + p) % p + slack];",
        f"    for ({kind} k = 0; k < own; k++)\n      sum = sum * 3u + in[((x + k) % p + p) % p + slack];",
        f"    for (int k = 0; k < {r.randint(2, 4)}; k++) {{\n      x = (x + {far}) % p;\n      sum += in[(x + p) % p + slack] + (unsigned)y;\n    }}",
        f"    x = {over};\n    y = {down};",
        f"    sum += in[(a % (s == {r.pick(0, 1, 13)} ? 1 : p)) + slack];",
        f"    sum += in[(({kind})sum % p + p) % p + slack];",
        "    sum = sum * 3 + (unsigned)(x + 5 * y + 7 * z);")


def flats(r):
    shape = r.pick((32,), (64,), (256,), (16, 16), (32, 8), (8, 4), (100,), (512,), (18, 10))
    threads = 1
    for length in shape:
        threads *= length
    blocks = r.randint(1, 6)
    total = threads * blocks
    kind = r.pick("int", "int", "unsigned", "long long", "unsigned long long")
    signed = "unsigned" not in kind
    start = r.pick("i", "i", "i + s", "i - s" if signed else "i", "i * 2" if r.chance(0.3) else "i", f"{total} - i" if r.chance(0.3) else "i")
    lines = [f"    {kind} a = {start}, own = {r.randint(0, 2)};", f"    {kind} x = a % p, y = a / p % q, z = a / (p * q);"]
    for _ in range(r.randint(2, 6)):
        lines.append(own(r) if r.chance(0.35) else uses(r, kind, signed))
    if signed and r.chance(0.3):
        lines.append("    sum += (unsigned)(a / m) + 3u * (unsigned)(a % m);")
    constants = (r.pick(7, 33, 48, 65, 100, 255, r.randint(32, 300)), r.pick(1, 2, 3, 8, 17)) if r.chance(0.3) else None
    if constants:
        lines.insert(0, f"    p = {constants[0]}, q = {constants[1]};")
    launches, size = [], 0
    for number in range(LAUNCHES):
        p, q = constants or (r.pick(1, 2, 3, 7, 16, 31, 32, 33, 48, 64, 100, 255, 256, 1000, r.randint(1, 300), total, total + 5),
                             r.pick(1, 2, 3, 5, 8, 17, 40))
        s = r.pick(0, 0, 1, 13, p)
        size = max(size, 4 * p * q + 2 * total + 2 * s + 16)
        n = r.pick(total, total, total - 3, total // 2 + 1)
        slack = 2 * p * q if signed else 0
        launches.append(f"  LAUNCH(kernel, {blocks}, {dim(shape)}, 0, {n}, {p}, {q}, {r.pick(-7, 5, -1, -64)}, {s}, {slack}, in, most, out + {number * total});")
    return text("""KERNEL kernel($kind n, $kind p, $kind q, $kind m, $kind s, $kind slack, const $element *in, const unsigned char *most, unsigned *out) {
  $kind t = threadIdx.x + blockDim.x * threadIdx.y, i = blockIdx.x * ($kind)$threads + t;
  if (i < n) {
    unsigned sum = 0;
$lines
    out[i] = sum;
  }
}
static void run() {
  $element *in = array<$element>($size, 0);
  unsigned char *most = array<unsigned char>(64, 0);
  unsigned *out = array<unsigned>($outs, 1);
$launches
  result();
}
""", kind=kind, element=r.pick("unsigned", "unsigned", "unsigned char", "unsigned short"), threads=threads, lines="\n".join(lines), launches="\n".join(launches), size=size, outs=LAUNCHES * total)
