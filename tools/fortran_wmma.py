#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes wmma.inc, the types and interfaces of CUDA Fortran's module wmma, for all shapes, kinds and layouts.

    fortran_wmma.py FOLDER

The functions are in lib/fortran/wmma.cu; those with a result of derived type are called by their Fortran names. After a load
the parts of a matrix lie the same in both layouts, so products need no function for each; and what goes by elements is the
same for all shapes.
"""
import collections
import os
import sys

Number = collections.namedtuple("Number", "name fortran tag")  # in names of types, the type, in names of functions
BYTE, INTEGER = Number("Integer1", "integer(1)", "i1"), Number("Integer4", "integer(4)", "i4")
HALF, SINGLE, DOUBLE = (Number(f"Real{kind}", f"real({kind})", str(kind)) for kind in (2, 4, 8))
BFLOAT16, TF32 = Number("Real3", "real(3)", "3"), Number("TF32", "real(4)", "tf32")
SCALARS = {HALF: (HALF, SINGLE), SINGLE: (SINGLE,), DOUBLE: (SINGLE, DOUBLE), INTEGER: (INTEGER,)}  # that fill sums

SHAPES16 = {"m16n16k16": (16, 16, 16), "m8n32k16": (8, 32, 16), "m32n8k16": (32, 8, 16)}
# Shapes, numbers of factors, numbers of sums.
MATRICES = ((SHAPES16, HALF, (HALF, SINGLE)), (SHAPES16, BFLOAT16, (SINGLE,)), (SHAPES16, BYTE, (INTEGER,)),
            ({"m16n16k8": (16, 16, 8)}, TF32, (SINGLE,)), ({"m8n8k4": (8, 8, 4)}, DOUBLE, (DOUBLE,)))
LAYOUTS = ("Cmajor", "Rmajor")
COMPARISONS = {"==": "Equal", "/=": "NotEqual", "<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual"}


class Module:
    def __init__(self):
        self.types, self.generics = [], {}

    def addType(self, name, element, count):
        self.types.append(f"  type :: {name}\n    {element} :: x({count})\n  end type\n")

    def add(self, generic, kind, name, arguments, target=None, result=None):
        """A specific of a generic. An argument is a type, with `*` behind it an array, with `&` a scalar by
        reference, with `=` in front a value."""
        names = [f"x{i}" for i in range(1, len(arguments) + 1)]
        binding = f" &\n        bind(c, name='{target}')" if target else ""
        text = f"    attributes(device) {kind} {name}({', '.join(names)}){' result(r)' if result else ''}{binding}\n      import\n"
        if result:
            text += f"      type({result}) :: r\n"
        for dummy, what in zip(names, arguments):
            if what.startswith("="):
                text += f"      {what[1:]}, value :: {dummy}\n"
            elif what.endswith("*"):
                text += f"      {what[:-1]} :: {dummy}(*)\n      !dir$ ignore_tkr (rd) {dummy}\n"
            elif what.endswith("&"):
                text += f"      {what[:-1]} :: {dummy}\n      !dir$ ignore_tkr (d) {dummy}\n"
            elif what.endswith("?"):
                text += f"      {what[:-1]}, intent(in), optional :: {dummy}\n      !dir$ ignore_tkr (d) {dummy}\n"
            else:
                text += f"      type({what}) :: {dummy}\n      !dir$ ignore_tkr (d) {dummy}\n"
        self.generics.setdefault(generic, []).append(text + f"    end {kind.split()[-1]}\n")

    def write(self, out):
        out.writelines(self.types)
        for generic, specifics in self.generics.items():
            out.write(f"  interface {generic}\n" + "".join(specifics) + "  end interface\n")


def addFactors(module, shape, sizes, number):
    m, n, k = sizes
    for use, count in (("A", m * k // 32), ("B", n * k // 32)):
        for layout in LAYOUTS:
            name, tag = f"subMatrix{use}_{shape}_{number.name}_{layout}", f"{use}_{shape}_{number.tag}_{layout}"
            module.addType(name, number.fortran, count)
            module.add("wmmaLoadMatrix", "subroutine", f"load{tag}", [name, f"{number.fortran}*", "=integer(4)"],
                       f"heddleMatrixLoad{tag}")


def addSum(module, shape, number, count):
    name, logical = f"subMatrixC_{shape}_{number.name}", f"subMatrixC_{shape}_Logical1"
    tag, value = f"{shape}_{number.tag}", f"={number.fortran}"
    module.addType(name, number.fortran, count)
    module.add("wmmaLoadMatrix", "subroutine", f"loadC_{tag}", [name, f"{number.fortran}*", "=integer(4)", "integer(4)?"],
               f"heddleMatrixLoadC_{tag}")
    module.add("wmmaStoreMatrix", "subroutine", f"store_{tag}", [f"{number.fortran}*", name, "=integer(4)", "integer(4)?"],
               f"heddleMatrixStore_{tag}")
    for scalar in SCALARS[number]:
        module.add("assignment(=)", "subroutine", f"fill_{tag}_{scalar.tag}", [name, f"={scalar.fortran}"],
                   f"heddleMatrixFill_{number.tag}_{scalar.tag}")
    for operator, word in COMPARISONS.items():
        for second, suffix in ((name, ""), (value, "_scalar")):
            module.add(f"operator({operator})", "function", f"heddle_{word}_{tag}{suffix}", [name, second], result=logical)
    for first in ("M", "S"):
        for second in ("M", "S"):
            arguments = [name] + [name if which == "M" else value for which in (first, second)] + [logical]
            module.add("wmmaMerge", "subroutine", f"merge_{tag}_{first}{second}", arguments,
                       f"heddleMatrixMerge{first}{second}_{number.tag}")


def addLogical(module, shape, count):
    name = f"subMatrixC_{shape}_Logical1"
    module.addType(name, "logical(1)", count)
    for word, result in (("Any", "logical(4)"), ("All", "logical(4)"), ("Count", "integer(4)")):
        module.add(f"wmma{word}", f"{result} function", f"{word.lower()}_{shape}", [name], f"heddleMatrix{word}_{count}")


def addProducts(module, shape, factor, sums):
    for la in LAYOUTS:
        for lb in LAYOUTS:
            factors = [f"subMatrixA_{shape}_{factor.name}_{la}", f"subMatrixB_{shape}_{factor.name}_{lb}"]
            for d in sums:
                result, target = f"subMatrixC_{shape}_{d.name}", f"{shape}_{factor.tag}_{d.tag}"
                tag = f"{shape}_{factor.tag}_{la[0]}{lb[0]}_{d.tag}"
                module.add("wmmaMatmul", "subroutine", f"multiply_{tag}", [result] + factors, f"heddleMatrixMultiply_{target}")
                for c in sums:
                    module.add("wmmaMatmul", "subroutine", f"multiply_{tag}_{c.tag}",
                               [result] + factors + [f"subMatrixC_{shape}_{c.name}"], f"heddleMatrixMultiply_{target}_{c.tag}")


def addPipeline(module):
    """Copies to shared memory of 4, 8 and 16 bytes (lib/fortran/device/loads.cpp)."""
    for kind, size in (("integer(4)", 4), ("integer(8)", 8), ("real(4)", 4), ("real(8)", 8), ("complex(4)", 8), ("complex(8)", 16)):
        name = "heddle_pipeline_copy_" + kind.replace("(", "").replace(")", "")
        module.add("pipelineMemcpyAsync", "subroutine", name, [kind + "&", kind + "&"], f"heddleFortranPipelineCopy{size}")
    module.add("pipelineCommit", "subroutine", "heddle_pipeline_commit", [], "heddleFortranPipelineCommit")
    module.add("pipelineWaitPrior", "subroutine", "heddle_pipeline_wait", ["=integer(4)"], "heddleFortranPipelineWait")


def main():
    module, made = Module(), set()
    for shapes, factor, sums in MATRICES:
        for shape, sizes in shapes.items():
            count = sizes[0] * sizes[1] // 32
            addFactors(module, shape, sizes, factor)
            if shape not in made:
                addLogical(module, shape, count)
            for number in sums:
                if (shape, number) not in made:
                    addSum(module, shape, number, count)
            made.update([shape], ((shape, number) for number in sums))
            addProducts(module, shape, factor, sums)
    addPipeline(module)
    with open(os.path.join(sys.argv[1], "wmma.inc"), "w") as out:
        module.write(out)


if __name__ == "__main__":
    main()
