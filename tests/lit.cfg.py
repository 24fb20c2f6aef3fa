# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit suites: tests/ and, through a file of its own, examples/. tools/run_tests.sh starts lit and says
# where the build is: lit.py --param build=<folder> [--param fast=1] [--param tier=all].
#
# Substitutions: %heddle, %fc (heddle fc), %check (check/expect.py), %nvcc (heddle under nvcc's name), %build, and FileCheck, clang, clang++ of
# LLVM 22; %widths, %at, %cpu and %all say at which widths and in which tier a command runs (tiers.py). A test with
# "REQUIRES: slow" is left out of the fast tier. "%if avx512 %{ env HEDDLE_CPU=x86-64-v3 ... %}" runs a program as on a
# processor with AVX2 only, where the machine is not one.
import ctypes.util
import os
import platform
import shutil
import subprocess
import sys

import lit

here = os.path.dirname(os.path.abspath(lit_config.params.get("config", __file__)))
sys.path.insert(0, here)
import tiers  # noqa: E402
build = os.path.abspath(lit_config.params.get("build", os.path.join(here, "..", "build", "release")))
suite = os.path.basename(config.suffixes_root) if hasattr(config, "suffixes_root") else "tests"

config.name = "heddle-" + suite
config.suffixes = [".cu", ".ll", ".test", ".cpp", ".c", ".cuf", ".CUF"]
config.excludes = ["Inputs", "fuzz"]
config.test_source_root = getattr(config, "suffixes_root", here)
config.test_exec_root = os.path.join(build, "test-output", suite)

# --param checked=memcheck,...: `heddle run` under these checks, which must find nothing.
checked = lit_config.params.get("checked")
if checked:
    config.name += "-checked"
    config.available_features.add("checked")
    config.test_exec_root += "-checked"

# --param counted=FILE: kernels are counted, and what was counted goes to that file.
if "counted" in lit_config.params:
    config.name += "-counted"
    config.test_exec_root += "-counted"
    config.environment["HEDDLE_COUNT"] = os.path.abspath(lit_config.params["counted"])

if lit_config.params.get("fast") != "1":
    config.available_features.add("slow")
sanitized = os.path.basename(build) in ("asan", "tsan")
if sanitized:
    config.available_features |= {"sanitizer", os.path.basename(build)}
    suppressions = os.path.abspath(os.path.join(here, "..", "cmake", "tsan_suppressions.txt"))
    config.environment["TSAN_OPTIONS"] = (os.environ.get("TSAN_OPTIONS", "") +
                                          " die_after_fork=0 atexit_sleep_ms=0 suppressions=" + suppressions)
if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86")
    with open("/proc/cpuinfo") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(flags): # x86-64-v4
        config.available_features.add("avx512")

# For tests that hide or fill folders.
if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"], capture_output=True).returncode == 0:
    config.available_features.add("namespaces")

# Everything at every width (tiers.py).
if lit_config.params.get("tier") == "all":
    config.available_features.add("check-all")
config.test_format = tiers.Test(config.available_features, lit_config.params.get("times"), "checked " if checked else "")

# NVIDIA's own nvcc 13, for tests of the programs that it builds, where a machine has one.
toolkit = "/usr/local/cuda"
if os.path.exists(os.path.join(toolkit, "lib64/libcudart.so.13")) and os.path.exists(os.path.join(toolkit, "bin/nvcc")):
    config.available_features.add("nvcc")
    config.substitutions.append(("%toolkit", toolkit))

# An emulator and libraries for it, where tools/aarch64.sh has made a root.
aarch64_root = os.environ.get("HEDDLE_AARCH64_ROOT", os.path.join(here, "..", "build", "aarch64-root"))
if shutil.which("qemu-aarch64-static") and os.path.exists(os.path.join(aarch64_root, "usr", "lib", "aarch64-linux-gnu")):
    config.available_features.add("aarch64-emulator")
    config.substitutions.append(("%aarch64_root", os.path.abspath(aarch64_root)))

# Against tests that hang. Compilations take long where our passes look at each of their accesses.
try:
    limit = "3000" if sanitized else "1800" if "check-all" in config.available_features else "300"
    lit_config.maxIndividualTestTime = int(lit_config.params.get("timeout", limit))
except ImportError:  # lit needs psutil to stop a test
    lit_config.note("python3-psutil is missing: tests have no time limit")


def tool(name):
    path = shutil.which(name + "-22") or shutil.which(name)
    return path or lit_config.fatal(name + "-22 is missing")


# CUDA Fortran, where its packages were there when Heddle was built.
if os.path.exists(os.path.join(build, "lib", "heddle", "bin", "heddle-fortran")):
    config.available_features.add("fortran")

if shutil.which("gdb"):
    config.available_features.add("gdb")

# Open MPI, where it was there when Heddle was built. Tests may run as root, with more processes than processors.
if os.path.exists(os.path.join(build, "lib", "libheddle_mpi.so")) and shutil.which("mpirun") and not sanitized:
    config.available_features.add("mpi")
    config.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    config.substitutions.append(("%mpirun", "mpirun --allow-run-as-root --oversubscribe"))

# OpenCL, where its packages were there when Heddle was built: programs find ours alone.
if os.path.exists(os.path.join(build, "lib", "libheddle-opencl.so")) and ctypes.util.find_library("OpenCL"):
    config.available_features.add("opencl")
    config.environment["OCL_ICD_VENDORS"] = os.path.join(build, "opencl", "vendors")
    config.substitutions.append(("%opencl", f"clang -x c++ -std=c++17 -O1 -I{here}/opencl/Inputs -lstdc++ -lm -lOpenCL -lpthread"))
if shutil.which("clinfo"):
    config.available_features.add("clinfo")

# libomp, which is a package of its own, and where g++ has its libgomp.
omp_header = subprocess.run([tool("clang"), "-fopenmp", "-fsyntax-only", "-xc", "-include", "omp.h", os.devnull],
                            stderr=subprocess.DEVNULL)
if omp_header.returncode == 0 and shutil.which("g++"):
    config.available_features.add("openmp")
    libgomp = subprocess.run(["g++", "-print-file-name=libgomp.so"], capture_output=True, text=True).stdout.strip()
    config.substitutions.append(("%libgomp", libgomp))

# For not and count.
tools = os.path.dirname(os.path.realpath(tool("FileCheck")))
config.environment["PATH"] = os.environ["PATH"] + os.pathsep + tools

# A cache of their own, so that tests neither use nor fill the user's; kernels stay in it between runs.
config.environment["CUDA_CACHE_PATH"] = lit_config.params.get("cache") or os.path.join(build, "test-output", "cache")
# Settings that change nothing in a kernel's code share what the back end made of it.
config.environment["HEDDLE_SAME_CODE"] = config.environment["CUDA_CACHE_PATH"] + ".same"
# Programs begin with the same headers, which are compiled once (docs/tool.md, "Precompiled headers"). The objects are the
# same; tests of the tool and of headers go without, but for commands that begin with %precompiled, and `make check-all`.
precompiled = []
if lit_config.params.get("plain") != "1":
    folder = os.path.join(os.path.dirname(config.environment["CUDA_CACHE_PATH"]), "precompiled")
    config.environment["HEDDLE_PRECOMPILED_HEADERS"] = folder
    precompiled = ["HEDDLE_PRECOMPILED_HEADERS=" + folder]
for name in ("HEDDLE_COVERAGE", "HEDDLE_TIME_JIT"):  # files that tools/tests_cover.py and tools/test_times.py read
    if os.path.isabs(os.environ.get(name, "")):
        config.environment[name] = os.environ[name]
for name in ("HEDDLE_CHECK", "HEDDLE_CHECK_OPTIONS", "HEDDLE_WIDTH", "HEDDLE_DEVICE", "HEDDLE_CLANG", "HEDDLE_HOME", "NVCC_PREPEND_FLAGS",
             "NVCC_APPEND_FLAGS", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "LD_LIBRARY_PATH"):
    config.environment.pop(name, None)
config.environment["HEDDLE_MACHINE"] = ""  # tests beside this one use the same boards
# --param cpu=x86-64-v3: kernels are compiled as on that processor.
if "cpu" in lit_config.params:
    config.environment["HEDDLE_CPU"] = lit_config.params["cpu"]
    if lit_config.params["cpu"] != "x86-64-v4":
        config.available_features.discard("avx512")
# --param tune=full: all forms of each kernel take turns.
if "tune" in lit_config.params:
    config.environment["HEDDLE_TUNE"] = lit_config.params["tune"]
config.environment["HOME"] = os.path.join(build, "test-output", "home")

heddle = os.path.join(build, "bin", "heddle")
if checked:
    config.substitutions.append(
        ("%heddle run", f"{heddle} check --tool {checked} --error-exitcode 9 {heddle} run"))
config.substitutions += [
    ("%check", shutil.which("python3") + " " + os.path.join(here, "check", "expect.py") + " " + os.path.join(build, "bin", "heddle")),
    ("%heddle", os.path.join(build, "bin", "heddle")),
    ("%fc", os.path.join(build, "bin", "heddle") + " fc"),
    ("%nvcc", os.path.join(build, "lib", "heddle", "bin", "nvcc")),
    ("%build", build),
    ("%precompiled", " ".join(["env"] + precompiled)),
    (r"\bFileCheck\b", tool("FileCheck")),
    (r"\bclang\b", tool("clang")),
    ("%opt", tool("opt")),
    (r"%python", shutil.which("python3")),
    ("%lit", os.path.dirname(os.path.dirname(lit.__file__))),
]
