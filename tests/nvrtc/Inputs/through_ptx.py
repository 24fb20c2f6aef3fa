# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""through_ptx.py TOOLKIT FOLDER SOURCE...: compiles CUDA sources to programs in FOLDER so that their device code goes
through PTX: what nvcc -ptx writes and ptxas reads again stands in the place of the device image. Each must print what
the program prints that is compiled as usual, but for lines of times and of the errors of approximations."""
import pathlib
import re
import shlex
import subprocess
import sys

tools, folder = pathlib.Path(sys.argv[1]) / "bin", pathlib.Path(sys.argv[2]).resolve()
VARYING = re.compile(r"^(time|note): .*$", re.MULTILINE)


def run(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, **how)


def through_ptx(source, output):
    run(tools / "nvcc", "-ptx", source, "-o", f"{output}.ptx")
    run(tools / "ptxas", "-arch=sm_90", f"{output}.ptx", "-o", f"{output}.cubin")
    plan = run(tools / "nvcc", "-dryrun", "-c", source, "-o", f"{output}.o", stderr=subprocess.PIPE, text=True).stderr
    host = next(line for line in plan.splitlines() if "--cuda-host-only" in line)
    with open(f"{output}.cubin", "rb") as image:  # the host half reads it from the standard input
        run(*shlex.split(host.removeprefix("#$ ")), stdin=image)
    run(tools / "nvcc", f"{output}.o", "-o", output)


def printed(program):
    ended = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    return ended.returncode, VARYING.sub("", ended.stdout)


different = []
for source in map(pathlib.Path, sys.argv[3:]):
    output = folder / source.stem
    through_ptx(source, output)
    run(tools / "nvcc", source, "-o", f"{output}.usual")
    if printed(output) != printed(f"{output}.usual"):
        different.append(source.name)
if different:
    sys.exit(f"other output through PTX: {' '.join(different)}")
