# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flat indices that are taken apart by / and %, periodic neighbours, with divisors that the launch gives."""
from words import dim, text


def flats(r):
    shape = r.pick((32,), (64,), (256,), (16, 16), (32, 8), (8, 4), (100,), (512,), (18, 10))
    threads = 1
    for length in shape:
        threads *= length
    blocks = r.randint(1, 6)
    total = threads * blocks
    p = r.pick(1, 2, 3, 7, 16, 31, 32, 33, 48, 64, 100, 255, 256, 1000, total, total + 5)
    q = r.pick(1, 2, 3, 5, 8, 17, 40)
    kind = r.pick("int", "int", "unsigned", "long long", "unsigned long long")
    signed = "unsigned" not in kind
    shift = r.pick(0, 0, 1, 13, p) if signed else 0
    start = r.pick("i", "i", f"i + {shift}", "i - s" if signed else "i", "i * 2" if r.chance(0.3) else "i")
    layers = (2 * total + abs(shift)) // (p * q) + 3
    lines = [f"    {kind} a = {start};", "    " + f"{kind} x = a % p, y = a / p % q, z = a / (p * q);"]
    uses = []
    for _ in range(r.randint(1, 4)):
        d = r.randint(1, 3)
        over = r.pick("x", f"(x + {d}) % p", f"(x - {d % p} + p) % p" if signed else f"(x + p - {d % p}) % p", f"x >= {d} ? x - {d} : 0")
        down = r.pick("y", "y", f"(y + {d}) % q", f"(y - {d % q} + q) % q" if signed else f"(y + q - {d % q}) % q")
        index = f"(z * q + ({down})) * p + ({over}) + slack"
        uses.append(r.pick(f"    sum += in[{index}] * {r.randint(1, 9)}u;", f"    sum ^= in[{index}];", f"    if (x % 2 == {r.randint(0, 1)})\n      sum += in[{index}];",
                           f"    for ({kind} k = 0; k < {r.randint(1, 5)}; k++)\n      sum += in[(z * q + y) * p + (x + k) % p + slack];", f"    sum += in[a % (s == {r.pick(shift, 2)} ? 1 : p) + slack];", "    sum = sum * 3 + (unsigned)(x + 5 * y + 7 * z);"))
    negative = f"    sum += (unsigned)(a / m) + 3u * (unsigned)(a % m);" if signed and r.chance(0.3) else ""
    return text("""KERNEL kernel($kind n, $kind p, $kind q, $kind m, $kind s, $kind slack, const $element *in, unsigned *out) {
  $kind t = threadIdx.x + blockDim.x * threadIdx.y, i = blockIdx.x * ($kind)$threads + t;
  if (i < n) {
    unsigned sum = 0;
$lines
$uses
$negative
    out[i] = sum;
  }
}
static void run() {
  $element *in = array<$element>($size, 0);
  unsigned *out = array<unsigned>($total, 1);
  LAUNCH(kernel, $blocks, $shape, 0, $n, $p, $q, $m, $s, $slack, in, out);
  result();
}
""", kind=kind, element=r.pick("unsigned", "unsigned", "unsigned char", "unsigned short"), threads=threads, lines="\n".join(lines), uses="\n".join(uses), negative=negative,
                size=2 * p * q + p * q * layers + 16, total=total, blocks=blocks, shape=dim(shape), n=r.pick(total, total, total - 3, total // 2 + 1), p=p, q=q, m=r.pick(-7, 5, -1, -64), s=shift,
                slack=2 * p * q if signed else 0)
