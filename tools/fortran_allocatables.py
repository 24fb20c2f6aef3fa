#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes allocatables.inc, the interfaces of cudafor's functions that allocate and free allocatable arrays.

    fortran_allocatables.py FOLDER

Such a dummy has one type and one rank, so there is an interface for each; they are the same function, which gets the array's
descriptor (lib/fortran/api_arrays.cpp). Counts, widths, heights and pitches are elements. An array of cudaMallocPitch has as many
rows as the pitch.
"""
import os
import sys

TYPES = {f"{word[0]}{kind}": f"{word}({kind})" for word, kinds in
         (("integer", (1, 2, 4, 8)), ("real", (2, 4, 8)), ("complex", (4, 8)), ("logical", (1, 4))) for kind in kinds}


def counts(*names):
    return [f"integer(8), value :: {', '.join(names)}", "!dir$ ignore_tkr (k) " + ", (k) ".join(names)]


STREAM = ["integer(cuda_stream_kind), value :: stream", "!dir$ ignore_tkr (k) stream"]
FLAGS = ["integer(c_int), value :: flags"]

# generic, C's name, the array's attribute, its rank, the other dummies, their declarations
FUNCTIONS = [
    ("cudaMalloc", "Allocate", "device", 1, "count", counts("count")),
    ("cudaMallocAsync", "AllocateAsync", "device", 1, "count, stream", counts("count") + STREAM),
    ("cudaMallocManaged", "Allocate", "managed", 1, "count, flags", counts("count") + FLAGS),
    ("cudaFree", "Deallocate", "device", 1, "", []),
    ("cudaFree", "Deallocate", "device", 2, "", []),
    ("cudaFree", "Deallocate", "managed", 1, "", []),
    ("cudaFreeAsync", "DeallocateAsync", "device", 1, "stream", STREAM),
] + [("cudaMallocPitch", f"AllocatePitch{kind}", "device", 2, "pitch, width, height",
      [f"integer({kind}), intent(out) :: pitch"] + counts("width", "height")) for kind in (4, 8)]


def interface(function, tag, kind):
    generic, target, attribute, rank, others, declarations = function
    shape = ", ".join(":" * rank)
    lines = [f"integer(c_int) function heddle_{target}_{attribute}{rank}_{tag}(array{', ' + others if others else ''}) &",
             f"    bind(c, name='heddleFortran{target}')", "  import", f"  {kind}, allocatable, {attribute} :: array({shape})"]
    return "".join(f"    {line}\n" for line in lines + [f"  {line}" for line in declarations] + ["end function"])


def main():
    with open(os.path.join(sys.argv[1], "allocatables.inc"), "w") as out:
        for function in FUNCTIONS:
            out.write(f"  interface {function[0]}\n")
            out.writelines(interface(function, tag, kind) for tag, kind in TYPES.items())
            out.write("  end interface\n")


if __name__ == "__main__":
    main()
