#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes bitcode as LLVM 7 wrote it, with types of pointers (LLVM, "Bitcode File Format"): old_bitcode.py FILE

  @factors = internal addrspace(4) constant [2 x double] [double 3.0, double 5.0]
  define double @scale(double %x) {
    %p = alloca double
    store double %x, double* %p
    %l = load double, double* %p
    %f = load double, double addrspace(4)* getelementptr ([2 x double], [2 x double] addrspace(4)* @factors, i64 0, i64 0)
    %r = fmul double %l, %f
    ret double %r
  }
"""
import struct
import sys

END, ENTER, DEFINE, UNABBREVIATED, FIRST = 0, 1, 2, 3, 4


class Bits:
    def __init__(self):
        self.value, self.count, self.words = 0, 0, bytearray()

    def fixed(self, value, width):
        self.value |= value << self.count
        self.count += width
        while self.count >= 32:
            self.words += struct.pack("<I", self.value & 0xFFFFFFFF)
            self.value >>= 32
            self.count -= 32

    def vbr(self, value, width):
        most = 1 << (width - 1)
        while value >= most:
            self.fixed(value & (most - 1) | most, width)
            value >>= width - 1
        self.fixed(value, width)

    def align(self):
        if self.count:
            self.fixed(0, 32 - self.count)


class Block:
    """What a `with` statement writes lies in a block."""

    def __init__(self, bits, outer, number, width=4):
        self.bits, self.outer, self.number, self.width = bits, outer, number, width

    def __enter__(self):
        self.bits.fixed(ENTER, self.outer)
        self.bits.vbr(self.number, 8)
        self.bits.vbr(self.width, 4)
        self.bits.align()
        self.start = len(self.bits.words)
        self.bits.words += bytes(4)
        return self

    def __exit__(self, *_):
        self.bits.fixed(END, self.width)
        self.bits.align()
        struct.pack_into("<I", self.bits.words, self.start, (len(self.bits.words) - self.start - 4) // 4)

    def block(self, number):
        return Block(self.bits, self.width, number)

    def record(self, code, *operands):
        self.bits.fixed(UNABBREVIATED, self.width)
        for value in (code, len(operands), *operands):
            self.bits.vbr(value, 6)

    def text(self, code, text):
        self.record(code, *text.encode())

    def blob(self, code, content):
        """A record that is bytes, with an abbreviation of its own."""
        bits = self.bits
        bits.fixed(DEFINE, self.width)
        bits.vbr(2, 5)
        bits.fixed(1, 1)  # the code, as it is
        bits.vbr(code, 8)
        bits.fixed(0, 1)
        bits.fixed(5, 3)  # a blob
        bits.fixed(FIRST, self.width)
        bits.vbr(len(content), 6)
        bits.align()
        bits.words += content + bytes(-len(content) % 4)


def double(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def main(path):
    bits = Bits()
    with Block(bits, 2, 13) as identification:
        identification.text(1, "LLVM7.0.1")
        identification.record(2, 0)
    with Block(bits, 2, 8) as module:
        module.record(1, 2)  # names are in a table behind the module
        with module.block(17) as types:
            types.record(1, 8)
            types.record(4)  # 0: double
            types.record(21, 0, 0, 0)  # 1: double (double)
            types.record(8, 0, 0)  # 2: double*
            types.record(11, 2, 0)  # 3: [2 x double]
            types.record(8, 3, 4)  # 4: [2 x double] addrspace(4)*
            types.record(8, 0, 4)  # 5: double addrspace(4)*
            types.record(7, 64)  # 6: i64
            types.record(7, 32)  # 7: i32
        module.text(2, "nvptx64-nvidia-cuda")
        module.text(3, "e-i64:64-v16:16-v32:32-n16:32:64")
        explicit, constant = 2, 1
        module.record(7, 5, 7, 3, explicit | constant | 4 << 2, 4 + 1, 3, 4, 0)  # value 0: @factors, internal
        module.record(8, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0)  # value 1: @scale
        with module.block(11) as constants:
            constants.record(1, 0)
            constants.record(6, double(3.0))  # value 2
            constants.record(6, double(5.0))
            constants.record(1, 3)
            constants.record(7, 2, 3)  # 4: [double 3.0, double 5.0]
            constants.record(1, 6)
            constants.record(2)  # 5: i64 0
            constants.record(1, 5)
            constants.record(20, 3, 4, 0, 6, 5, 6, 5)  # 6: the address of the first
            constants.record(1, 7)
            constants.record(4, 1 << 1)  # 7: i32 1
        with module.block(12) as function:  # value 8: %x
            function.record(1, 1)
            function.record(19, 0, 7, 7, 4 | 1 << 6)  # 9: %p
            function.record(44, 1, 2, 4, 0)
            function.record(20, 1, 0, 4, 0)  # 10: %l
            function.record(20, 11 - 6, 0, 4, 0)  # 11: %f
            function.record(2, 2, 1, 2)  # 12: %r
            function.record(10, 1)
    with Block(bits, 2, 23) as names:
        names.blob(1, b"scalefactors")
    with open(path, "wb") as file:
        file.write(b"BC\xc0\xde" + bits.words)


if __name__ == "__main__":
    main(sys.argv[1])
