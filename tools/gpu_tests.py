#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of lit tests, for a GPU: builds them here, hands their PTX to ptxas, and runs them where a GPU is. It needs
# Python only, so that a GPU machine needs nothing else (tools/on_gpu.sh).
#
#   gpu_tests.py build BUILD OUT TEST...    compiles the programs of tests (files or folders) into OUT, with OUT/list.json
#   gpu_tests.py ptx BUILD OUT [NAME...]    makes the PTX of each, and says what ptxas refuses (OUT/ptx/*.ptx, *.log)
#   gpu_tests.py check OUT RESULTS          here again: what FileCheck says of the logs
#   gpu_tests.py text BUILD PROGRAM         prints a program's PTX
#   gpu_tests.py run OUT RESULTS [NAME...]  runs them (HEDDLE_DEVICE and the like as they are); RESULTS/summary, one log each;
#                                           in the order of NAMEs ("" is all others), those of gpu_excluded.txt only where a NAME
#                                           is the whole name. Programs of libraries run first, by two (LIBRARY_JOBS): hundreds of
#                                           megabytes are read for each. One that does not end says where its threads are, and
#                                           those that crash or fault run again for RESULTS/crashes
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("JOBS", os.cpu_count() or 1))
SEVERAL = re.compile(r"env HEDDLE_DEVICE=(cpu,)+cpu (?=%)|HEDDLE_DEVICE=(cpu,)+cpu ")
FORTRAN = (".cuf", ".CUF")
LIMIT = int(os.environ.get("LIMIT", 60))  # seconds for one program
LIBRARY_LIMIT = int(os.environ.get("LIBRARY_LIMIT", 3 * LIMIT))  # of a library's
LIBRARY_JOBS = int(os.environ.get("LIBRARY_JOBS", 2))
HEAD_START = int(os.environ.get("HEAD_START", LIBRARY_LIMIT))  # for which those of libraries are alone, at most
LIBRARIES = re.compile(rb"lib(cublas|cufft|cusolver|cusparse|curand|nccl)\w*\.so")
BACKTRACE = os.environ.get("BACKTRACE", "")  # gpu_backtrace.c, compiled
TGKILL = 234 if os.uname().machine == "x86_64" else 131
SANITIZER = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
# What a command may begin with, which says where and at which widths it runs on a CPU.
CPU_ONLY = re.compile(r"HEDDLE_(WIDTH|CPU|DISABLE|WORKERS|PRINT|TUNE|FORMS|TIMING|CHECK|COUNT|PROFILE|DEVICE|SAME|JIT|TIME|MACHINE|GUARD)")


def run_lines(path):
    """The commands of RUN lines, those that end with a backslash joined."""
    lines, joined = [], ""
    for line in path.read_text(errors="replace").splitlines():
        match = re.search(r"RUN:\s*(.*)", line)
        if match:
            joined += match.group(1)
            if joined.endswith("\\"):
                joined = joined[:-1]
            else:
                lines.append(joined)
                joined = ""
    return lines


def label(path):
    """The folder's name, with that of examples before it."""
    parts = path.parent.parts
    return "-".join(parts[parts.index("examples"):]) if "examples" in parts else parts[-1]


def steps(path, folder, build):
    """Commands that compile; what runs what they made: the command, FileCheck's words or nothing, whether it is to fail; devices."""
    compiles, runs, devices = [], [], 1
    base = folder / path.stem
    names = {}  # a program that is compiled again, for the commands behind that, has another name

    def rename(words):
        return " ".join(names.get(word, word) for word in words.split(" "))

    def compile(words):
        output = re.search(r" -o (\S+)", words).group(1)
        if output in names:
            names[output] = f"{output}.{len(compiles)}"
        names.setdefault(output, output)
        compiles.append(rename(words))

    def take(text):
        line = re.sub(r"^%widths(\([\d,]*\))? |^%at\(\d+\) ", "", text.strip())
        fails, line = line.startswith("not "), line.removeprefix("not ")
        line = re.sub(r"^(env (\w+=\S* )*)?(timeout \d+ )?", r"\1", line)
        checks = re.search(r"\|\s*FileCheck\b(.*)", line)
        line = re.sub(r"(2>&1\s*)?\|.*", "", line)
        words = re.sub(r"\s>\s*\S+$", "", line.strip()).strip()
        for name, value in (("%s", path), ("%S", path.parent), ("%t", base), ("%build", build)):
            words = words.replace(name, str(value))
        words = words.replace(f"{build}/lib/heddle/bin/nvfortran ", "%fc ")
        if words.startswith(("%heddle cc", "%heddle fc", "%fc", "%nvcc")):
            if not fails and not checks and f"-o {base}" in words:  # else the folder of an earlier command is meant
                words = words.replace("%heddle", f"{build}/bin/heddle").replace("%fc", f"{build}/bin/heddle fc")
                compile(words.replace("%nvcc", f"{build}/lib/heddle/bin/nvcc"))
            return
        if words.startswith("mkdir -p"):
            compiles.append(words)
            return
        if words.startswith("%heddle run"):
            rest = words[len("%heddle run"):].split(str(path))
            compiler = "fc" if path.suffix in FORTRAN else "cc"
            compile(f"{build}/bin/heddle {compiler} {rest[0]} {path} -o {base}.run")
            words = f"{base}.run {rest[1] if len(rest) > 1 else ''}".strip()
        if words.startswith((str(base), "env ")) and "%" not in words:
            run = [rename(words), checks.group(1).replace("%s", str(path)).strip() if checks else "", fails]
            if run not in runs:
                runs.append(run)

    for line in run_lines(path):
        line = re.sub(r"%if \w+ %\{.*%\}", "", line).strip()
        if several := SEVERAL.search(line):
            devices = 2  # or more: those that there are
            line = re.sub(r"\|\s*FileCheck\b.*", "", line.replace(several.group(0), ""))  # how many there are is another text
        if CPU_ONLY.search(line) or line.startswith(("%cpu", "%all", "rm ")) or re.search(r"\bcd %t|\bsh -c|\$\(", line):
            continue
        for part in line.split(" && "):
            take(part)
    return compiles, runs, devices


def tests_of(arguments):
    for argument in map(pathlib.Path, arguments):
        paths = sorted(argument.rglob("*")) if argument.is_dir() else [argument]
        for path in paths:
            if path.suffix in (".cu", ".cpp", ".c", *FORTRAN) and "Inputs" not in path.parts and run_lines(path):
                yield path.resolve()


def shell(command, log, **options):
    with open(log, "ab") as out:
        return subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **options)


def build(build_folder, out, *arguments):
    build_folder, out = pathlib.Path(build_folder).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)

    def one(path):
        folder = out / label(path)
        folder.mkdir(exist_ok=True)
        compiles, runs, devices = steps(path, folder, build_folder)
        if not compiles or not runs:
            return None
        name = f"{label(path)}/{path.stem}"
        log = folder / (path.stem + ".build.log")
        log.unlink(missing_ok=True)
        for command in compiles:
            if shell(command, log).returncode != 0:
                print(f"{name}: does not compile", flush=True)
                return None
        return {"name": name, "runs": runs, "source": str(path), "devices": devices}

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        found = [test for test in pool.map(one, tests_of(arguments)) if test]
    known = {}
    if (out / "list.json").exists():
        known = {test["name"]: test for test in json.loads((out / "list.json").read_text())}
    known.update((test["name"], test) for test in found)
    (out / "list.json").write_text(json.dumps(list(known.values()), indent=1))
    print(f"{len(found)} tests are built")


def read_list(out, names):
    tests = json.loads((pathlib.Path(out) / "list.json").read_text())
    if not names:
        return tests
    place = lambda test: next((i for i, name in enumerate(names) if name in test["name"]), None)
    return sorted((test for test in tests if place(test) is not None), key=place)


def excluded():
    """Names of tests that a GPU does not run, and why."""
    lines = (pathlib.Path(__file__).resolve().parent / "gpu_excluded.txt").read_text().splitlines()
    return dict(line.split(None, 1) for line in lines if line and not line.startswith("#"))


def programs_of(test):
    words = {word for command, *_ in test["runs"] for word in shlex.split(command)}
    return sorted(word for word in words if word.startswith("/") and os.path.isfile(word))


class Answer(ctypes.Structure):
    """HeddleJitResult (src/jit/jit.h)."""
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("error", ctypes.c_char_p), ("missing", ctypes.c_bool)]


class GpuRequest(ctypes.Structure):
    """HeddleGpuRequest (src/jit/jit.h)."""
    _fields_ = [("image", ctypes.c_char_p), ("image_size", ctypes.c_size_t), ("target", ctypes.c_char_p), ("ptx", ctypes.c_uint32),
                ("uses_host_variables", ctypes.c_bool), ("kernel", ctypes.c_char_p), ("threads", ctypes.c_uint32)]


class Compiler:
    """libheddle_jit.so."""

    def __init__(self, build_folder):
        self.library = ctypes.CDLL(f"{build_folder}/lib/libheddle_jit.so")
        for name in ("heddleJitEmitGpu", "heddleJitLink"):
            getattr(self.library, name).restype = Answer

    def take(self, answer):
        if answer.error:
            raise RuntimeError(answer.error.decode(errors="replace"))
        return ctypes.string_at(answer.data, answer.size)

    def link(self, images):
        pointers = (ctypes.c_char_p * len(images))(*images)
        sizes = (ctypes.c_size_t * len(images))(*map(len, images))
        return self.take(self.library.heddleJitLink(pointers, sizes, ctypes.c_size_t(len(images))))

    def ptx(self, image, target):
        request = GpuRequest(image, len(image), target.encode(), 0, True, None, 0)
        return self.take(self.library.heddleJitEmitGpu(ctypes.byref(request)))


def images_of(program):
    """The device images in a file (src/base/image/module_image.h), and whether each is relocatable."""
    data = pathlib.Path(program).read_bytes()
    for match in re.finditer(rb"HEDDLEIM", data):
        version, flags, size = struct.unpack_from("<IIQ", data, match.start() + 8)
        if version < 100 and match.start() + size <= len(data) and size > 64:
            yield data[match.start():match.start() + size], bool(flags & 1)


def text(build_folder, program):
    compiler = Compiler(build_folder)
    for image, _ in images_of(program):
        sys.stdout.buffer.write(compiler.ptx(image, os.environ.get("TARGET", "sm_90a")))


def check_ptx(build_folder, out, test):
    compiler = Compiler(build_folder)
    assembler = os.environ.get("PTXAS", "/usr/local/cuda/bin/ptxas")
    target = os.environ.get("TARGET", "sm_90a")
    problems = []
    for program in programs_of(test):
        found = list(images_of(program))
        texts = [image for image, relocatable in found if not relocatable]
        base = out / "ptx" / (test["name"].replace("/", "+") + "+" + os.path.basename(program))
        try:
            if parts := [image for image, relocatable in found if relocatable]:
                texts.append(compiler.link(parts))
            for number, image in enumerate(texts):
                piece = pathlib.Path(f"{base}.{number}.ptx")
                piece.write_bytes(compiler.ptx(image, target))
                done = subprocess.run([assembler, "-arch=" + target, piece, "-o", "/dev/null"], capture_output=True, text=True)
                if done.returncode != 0:
                    problems.append(f"{test['name']} {piece.name}: ptxas: {(done.stderr.strip() or '?').splitlines()[0]}")
        except RuntimeError as error:
            problems.append(f"{test['name']}: no PTX: {str(error)[:300]}")
    return problems


def ptx(build_folder, out, *names):
    out = pathlib.Path(out)
    (out / "ptx").mkdir(exist_ok=True)
    tests = read_list(out, names)
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        tasks = [pool.submit(check_ptx, build_folder, out, test) for test in tests]
        results = []
        for task, test in zip(tasks, tests):
            try:
                results.append(task.result())
            except Exception as error:  # the compiler ended the process
                results.append([f"{test['name']}: {error!r}"])
    print(*[problem for problems in results for problem in problems], sep="\n")
    print(f"{len(tests)} tests, {sum(not r for r in results)} whose PTX is good")


def tell_threads(process, log):
    """Where the threads of a program are that does not end: by itself (gpu_backtrace.c), and by the kernel."""
    with open(log, "ab") as text:
        pids = [process.pid]
        for pid in pids:  # what `env` and the like have started, too
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
            pids += map(int, children.read_text().split()) if children.exists() else []
        for name in ("io", "status"):
            text.write(pathlib.Path(f"/proc/{pids[-1]}/{name}").read_bytes())
        for thread in sorted(pathlib.Path(f"/proc/{pids[-1]}/task").iterdir()):
            for name in ("comm", "wchan", "syscall", "stack"):
                try:
                    text.write(f"{thread.name} {name}: ".encode() + (thread / name).read_bytes().strip() + b"\n")
                except OSError:
                    pass
            text.flush()
            if BACKTRACE:
                ctypes.CDLL(None).syscall(TGKILL, pids[-1], int(thread.name), int(signal.SIGUSR2))
                time.sleep(0.3)


def limited(command, log, limit, backtrace):
    """The exit status, or "timeout"."""
    environment = {**os.environ, "LD_PRELOAD": BACKTRACE} if backtrace and BACKTRACE else None
    with open(log, "ab") as out:
        process = subprocess.Popen(f"exec {command}", shell=True, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True, env=environment)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            try:
                tell_threads(process, log)
            except OSError:  # it has ended just now
                pass
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "timeout"


def uses_libraries(test):
    return any(LIBRARIES.search(pathlib.Path(program).read_bytes()) for program in programs_of(test))


def run_again(done, results):
    """Those that crashed tell where; those whose kernels fault, what compute-sanitizer says."""
    faults = ("MisalignedAddress", "IllegalAddress", "LaunchFailure", "IllegalInstruction")
    log = results / "crashes"
    for test, status, *_ in done:
        text = (results / (test["name"].replace("/", "+") + ".log")).read_text(errors="replace")
        crashed = re.fullmatch(r"FAIL -?(4|6|7|11|132|134|135|139)", status)
        faulted = status != "pass" and any(fault in text for fault in faults) and os.path.exists(SANITIZER)
        for command, *_ in test["runs"] if crashed or faulted else ():
            tool = "" if crashed or command.startswith("env ") else f"{SANITIZER} --print-limit 3 "
            with open(log, "ab") as out:
                out.write(f"===== {test['name']} $ {tool}{command}\n".encode())
            limited(tool + command, log, 60, crashed)


def run(out, results, *names):
    out, results = pathlib.Path(out), pathlib.Path(results)
    results.mkdir(parents=True, exist_ok=True)
    progress = open(results / "progress", "w")  # what is left of a run that is ended

    def one(test, limit, backtrace):
        log = results / (test["name"].replace("/", "+") + ".log")
        log.unlink(missing_ok=True)
        begin, status = time.time(), "pass"
        for command, checks, fails in test["runs"]:
            with open(log, "ab") as text:
                text.write(f"$ {command}\n".encode())
            code = limited(command, log, limit, backtrace)
            if (code != 0) != fails or code == "timeout":
                status = f"FAIL {code}"
                break
        seconds = time.time() - begin
        print(f"{status:10} {seconds:6.1f} {test['name']}", file=progress, flush=True)
        return test, status, seconds, log

    gpus = len(os.listdir("/proc/driver/nvidia/gpus")) if os.path.isdir("/proc/driver/nvidia/gpus") else 1
    reasons = {name: why for name, why in excluded().items() if name not in names}
    wanted = read_list(out, names)
    reasons.update((test["name"], "needs several GPUs") for test in wanted if test["devices"] > gpus)
    tests = [test for test in wanted if test["name"] not in reasons]
    libraries = [test for test in tests if uses_libraries(test)]
    with concurrent.futures.ThreadPoolExecutor(LIBRARY_JOBS) as few, concurrent.futures.ThreadPoolExecutor(JOBS) as many:
        tasks = [few.submit(one, test, LIBRARY_LIMIT, True) for test in libraries]
        concurrent.futures.wait(tasks, HEAD_START)
        tasks += [many.submit(one, test, LIMIT, False) for test in tests if test not in libraries]
        done = [task.result() for task in tasks]
    with open(results / "summary", "w") as summary:
        for test, status, seconds, log in done:
            last = ""
            if status != "pass":
                lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
                last = " | ".join(lines[1:3] + lines[-2:] if len(lines) > 5 else lines[1:])[:400]
            print(f"{status:10} {seconds:6.1f} {test['name']} {last}", file=summary)
        for test in wanted:
            if test["name"] in reasons:
                print(f"excluded          {test['name']} {reasons[test['name']]}", file=summary)
        good = sum(status == "pass" for _, status, *_ in done)
        print(f"{good} of {len(done)} pass", file=summary)
    print((results / "summary").read_text().splitlines()[-1], flush=True)
    run_again(done, results)


def check(out, results):
    """Of the logs of tests that passed: each command's text, by the words of its RUN line."""
    tool = next(p for p in ("/usr/lib/llvm-22/bin/FileCheck", "FileCheck-22", "FileCheck") if not p.startswith("/") or os.path.exists(p))
    count = bad = 0
    for test in read_list(out, ()):
        log = pathlib.Path(results) / (test["name"].replace("/", "+") + ".log")
        if not log.exists():
            continue
        texts = re.split(r"^\$ .*\n", log.read_text(errors="replace"), flags=re.MULTILINE)[1:]
        for text, (command, words, _) in zip(texts, test["runs"]):
            if words:
                done = subprocess.run([tool, *shlex.split(words)], input=text, capture_output=True, text=True)
                count, bad = count + 1, bad + (done.returncode != 0)
                if done.returncode != 0:
                    print(f"{test['name']}: {command}: {' | '.join(done.stderr.strip().splitlines()[:4])[:400]}")
    print(f"{count - bad} of {count} texts are as FileCheck wants them")


if __name__ == "__main__":
    {"build": build, "ptx": ptx, "text": text, "check": check, "run": run}[sys.argv[1]](*sys.argv[2:])
