# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""through_ptx.py TOOLKIT SOURCE OUTPUT: compiles a CUDA source so that its device code goes through PTX: what nvcc -ptx
writes and ptxas reads again stands in the place of the device image."""
import shlex
import subprocess
import sys

tools, source, output = sys.argv[1] + "/bin/", sys.argv[2], sys.argv[3]


def run(*command, **how):
    return subprocess.run(command, check=True, **how)


run(tools + "nvcc", "-ptx", source, "-o", output + ".ptx")
run(tools + "ptxas", "-arch=sm_90", output + ".ptx", "-o", output + ".cubin")
plan = run(tools + "nvcc", "-dryrun", "-c", source, "-o", output + ".o", stderr=subprocess.PIPE, text=True).stderr
host = next(line for line in plan.splitlines() if "--cuda-host-only" in line)
with open(output + ".cubin", "rb") as image:  # the host half reads it from the standard input
    run(*shlex.split(host.removeprefix("#$ ")), stdin=image)
run(tools + "nvcc", output + ".o", "-o", output)
