# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices that wrap around: of 8 and 16 bits, signed and unsigned, of 32 bits before they are extended."""
from words import dim, text


def chain(r, narrow):
    """A value of a narrow type (or of 32 bits) that follows from the thread's number."""
    kind = r.pick("unsigned char", "signed char", "unsigned short", "short") if narrow else r.pick("unsigned", "unsigned", "int")
    seed = r.pick("t", "t", "threadIdx.x", "i", "t + p", "i * 3u", "blockIdx.x + t", "threadIdx.x * threadIdx.y", "(t ^ 5u)", "t / 2u")
    lines = [f"  {kind} a = ({kind})({seed} * {r.pick(1, 3, 20, 37, 255, 256, 300)}u + {r.randint(0, 300)}u);"]
    for _ in range(r.randint(1, 4)):
        wide = r.pick("(unsigned)a * %d" % r.pick(2, 7, 20, 129, 255), "(unsigned)a + %d" % r.randint(1, 300), "(unsigned)a << %d" % r.randint(1, 9), "a >> %d" % r.randint(1, 5),
                      "(unsigned)a - %d" % r.randint(1, 300), "(unsigned)a * (unsigned)a", "(unsigned)a + t", "~(unsigned)a", "(unsigned)a ^ %d" % r.randint(1, 255), "0u - (unsigned)a",
                      "(unsigned)a + p", "(unsigned)a * p", "a / %d" % r.randint(2, 9), "a %% %d" % r.randint(2, 99))
        other = kind if r.chance(0.7) else r.pick("unsigned char", "signed char", "short", "unsigned short", "unsigned") if narrow else kind
        lines.append(f"  a = ({kind})({other})({wide});")
    if not narrow:
        lines.append(f"  a = ({kind})((unsigned)a + {r.pick('0xfffffff0u', '0x80000000u', '0x7ffffff0u', '0u - p', '4294967290u')});")
    return kind, lines


def wraps(r, narrow=True):
    shape = r.pick((32,), (64,), (256,), (16, 16), (8, 4), (100,), (1024,))
    threads = 1
    for length in shape:
        threads *= length
    kind, lines = chain(r, narrow)
    size = 256 if "char" in kind else 1024
    uses = []
    for k in range(r.randint(1, 3)):
        extended = r.pick("(long long)a", "(unsigned long long)a", "(unsigned)(int)a", "(unsigned)a", "(long long)(int)a", "(unsigned long long)(unsigned)a")
        amount = r.pick("", f" + {r.randint(1, 40)}", f" * {r.randint(2, 5)}", " + t", " - 5")
        uses.append(r.pick(f"  sum += in[((unsigned)({extended}{amount})) % {size}u];", f"  sum += in[({extended}{amount}) & {size - 1}];", f"  sum += (unsigned long long)({extended}{amount});",
                           f"  sum ^= (unsigned long long)({extended}{amount}) >> {r.randint(1, 31)};", f"  sum += tile[({extended}{amount}) & 255];",
                           f"  if ((long long)({extended}{amount}) > {r.randint(-50, 300)})\n    sum += {r.randint(1, 9)};", f"  a = ({kind})((unsigned)a + {r.randint(1, 99)}u);\n  sum = sum * 5 + (unsigned long long)({extended});",
                           f"  for ({kind} k = a; ({kind})((unsigned)k - (unsigned)a) < 3; k = ({kind})((unsigned)k + 1))\n    sum += in[(unsigned)k % {size}u];"))
    return text("""KERNEL kernel(const unsigned *in, unsigned long long *out, unsigned p) {
  SHARED(unsigned, tile, [256]);
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), i = blockIdx.x * $threads + t;
  for (unsigned k = t; k < 256; k += $threads)
    tile[k] = in[k];
  __syncthreads();
  unsigned long long sum = 0;
$lines
$uses
  out[i] = sum;
}
static void run() {
  unsigned *in = array<unsigned>(1024, 0);
  unsigned long long *out = array<unsigned long long>($count, 1);
  LAUNCH(kernel, $blocks, $shape, 0, in, out, $p);
  result();
}
""", threads=threads, lines="\n".join(lines), uses="\n".join(uses), count=4 * threads, blocks=r.randint(1, 4), shape=dim(shape), p=r.randint(0, 300))
