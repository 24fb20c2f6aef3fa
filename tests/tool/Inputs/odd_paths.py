# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# odd_paths.py FOLDER HEDDLE NVCC: builds in folders whose names hold what shells, make, YAML, C++ or linkers read as
# something else.
import os
import subprocess
import sys

folder, heddle, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
ODD = ["it's", 'a "b"', "back\\slash\\ ", "line\nbreak\ttab", "a: {b}, [c]*? %d @e", "naïve 漢字"]
ALL = "it's \"a\" #$HOME -c{} naïve, [x]"

SOURCE = """#include "a 'b'.h"
#include <cstdio>
__global__ void k(int *p) { *p = VALUE; }
int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  k << <1, 1 >> >(p);
  cudaDeviceSynchronize();
  printf("%d\\n", *p);
}
"""


def fail(*what):
    sys.exit(" ".join(map(str, what)))


def run(*command, cwd, expect=None, **variables):
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0 or (expect is not None and done.stdout != expect):
        fail(command, "in", repr(cwd), "gave", done.returncode, done.stdout, done.stderr)


def make_sources(name):
    where = os.path.join(folder, name)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "x.cu"), "w") as file:
        file.write(SOURCE)
    with open(os.path.join(where, "a 'b'.h"), "w") as file:
        file.write("#define VALUE 7\n")
    return where


def check_rule(where, rule, target):
    """make finds all that the rule names."""
    run("make", "-rR", "-f", rule, target, cwd=where)


# The text that clang sees in place of the source, by every name.
for name in ODD:
    where = make_sources(name)
    run(nvcc, "-fdevice-syntax-only", "./" + name + "/x.cu", cwd=folder, TMPDIR=where)

# All else, with all at once that a rule of clang's can name: in it backslashes become slashes.
where = make_sources(ALL)
source = os.path.join(where, "x.cu")
variables = {"TMPDIR": where, "CUDA_CACHE_PATH": os.path.join(where, "cache")}
for path in (source, "x.cu"):
    run(nvcc, "-MD", "-MP", "-c", path, "-o", "x.o", cwd=where, **variables)
    check_rule(where, "x.d", "x.o")
target = os.path.join(where, "x.o")
run(nvcc, "-MMD", "-c", source, "-o", target, cwd=folder, **variables)
run(nvcc, "-M", source, "-o", "x.rule", cwd=where, **variables)
check_rule(where, "x.rule", "x.o")
run(nvcc, target, "-o", os.path.join(where, "prog"), cwd=folder, **variables)
run(os.path.join(where, "prog"), cwd=where, expect="7\n", **variables)

# Relocatable device code, from an archive as well.
with open(os.path.join(where, "f.cu"), "w") as file:
    file.write("__device__ int f() { return 8; }\n")
with open(os.path.join(where, "g.cu"), "w") as file:
    file.write(SOURCE.replace("VALUE", "f()").replace("__global__", "__device__ int f();\n__global__"))
run(nvcc, "-rdc=true", os.path.join(where, "f.cu"), os.path.join(where, "g.cu"), "-o", "both", cwd=where, **variables)
run("./both", cwd=where, expect="8\n", **variables)
run(nvcc, "-dc", "f.cu", "g.cu", cwd=where, **variables)
run(nvcc, "-lib", "f.o", "-o", os.path.join(where, "libf.a"), cwd=where, **variables)
run(nvcc, "-rdc=true", "g.o", "-L" + where.replace(",", "\\,"), "-lf", "-o", "archived", cwd=where, **variables)
run("./archived", cwd=where, expect="8\n", **variables)

# The host half as C++, and heddle run, which finds a program again and sees what changes.
run(nvcc, "-cuda", source, "-o", "x.cpp", cwd=where, **variables)
run(nvcc, "x.cpp", "-o", "again", cwd=where, **variables)
run("./again", cwd=where, expect="7\n", **variables)
for place in (where, make_sources("line\nbreak"), make_sources("back\\slash")):
    for value in ("7", "7", "9"):
        with open(os.path.join(place, "a 'b'.h"), "w") as file:
            file.write(f"#define VALUE {value}\n")
        run(heddle, "run", "x.cu", cwd=place, expect=value + "\n", **variables)
print("all built")
