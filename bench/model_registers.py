#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the performance model's machine view (docs/model.md) with NVIDIA's own assembler: registers of a thread, and
# instructions in the code. For who works on the model and has NVIDIA's toolkit; nothing else needs it.
#
#   bench/model_registers.py BUILD NVCC PROGRAM.cu... [-- OPTIONS]
#
# Each program is built by both compilers with OPTIONS, and run by Heddle with HEDDLE_COUNT, without arguments. NVCC's
# code ends with instructions that are never executed, so its number is an upper bound.
import pathlib
import re
import subprocess
import sys
import tempfile

BOARD, ARCHITECTURE = "a100", "sm_80"


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def nvidia(nvcc, source, options, folder):
    """Registers and instructions by the demangled names of the kernels."""
    cubin = folder / "x.cubin"
    result = run([nvcc, "-cubin", "-O3", f"-arch={ARCHITECTURE}", "--resource-usage", *options, "-o", cubin, source])
    if result.returncode:
        raise SystemExit(f"{source}: {result.stderr.strip()}")
    sections = run(["readelf", "-S", "-W", cubin]).stdout
    sizes = dict(re.findall(r"\.text\.(\S+)\s+PROGBITS\s+\S+\s+\S+\s+(\S+)", sections))
    kernels = {}
    for name, registers in re.findall(r"Compiling entry function '(\S+)'.*?Used (\d+) registers", result.stderr,
                                      re.DOTALL):
        kernels[run(["c++filt", name]).stdout.strip()] = int(registers), int(sizes.get(name, "0"), 16) // 16
    return kernels


def heddle(build, source, options, folder):
    program, counts = folder / "x", folder / "counts"
    result = run([build / "lib/heddle/bin/nvcc", "-O3", *options, "-o", program, source])
    if result.returncode:
        raise SystemExit(f"{source}: {result.stderr.strip()}")
    run([program], env={"HEDDLE_COUNT": str(counts), "PATH": "/usr/bin:/bin", "HOME": str(pathlib.Path.home())})
    kernels = {}
    pattern = rf"counted: (.*?) grid .*\n(?:  note.*\n)*  machine:.* {BOARD} (\d+) registers (\d+) instructions"
    for name, registers, instructions in re.findall(pattern, counts.read_text() if counts.exists() else ""):
        kernels[name] = int(registers), int(instructions)
    return kernels


def main():
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    (build, nvcc, *sources), options = arguments[:split], arguments[split + 1:]
    differences = []
    print(f"{'kernel':<60} registers  {nvcc}'s  instructions  at most")
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            theirs = nvidia(nvcc, source, options, pathlib.Path(folder))
            ours = heddle(pathlib.Path(build), source, options, pathlib.Path(folder))
        for name in sorted(ours.keys() & theirs.keys()):
            (registers, instructions), (theirRegisters, most) = ours[name], theirs[name]
            differences.append(abs(registers - theirRegisters))
            print(f"{name[:60]:<60} {registers:9} {theirRegisters:6} {instructions:13} {most:8}")
    if differences:
        near = sum(difference <= 4 for difference in differences)
        print(f"{len(differences)} kernels, registers within 4: {near}")


if __name__ == "__main__":
    main()
