# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# interrupt.py SIGNALS FOLDER COMMAND...: stops a build by each of the signals (or all), while a tool of it waits for a pipe that the command
# names `pipe`. The build must end by the signal within a second or two, with all its processes, and leave nothing
# in FOLDER or in the folder for temporary files.
import os
import select
import signal
import subprocess
import sys
import time

ALL = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]
names = ALL if sys.argv[1] == "all" else sys.argv[1].split(",")
folder, command = os.path.abspath(sys.argv[2]), sys.argv[3:]
os.chdir(folder)
for name in ALL:  # who runs the test may have some ignored
    signal.signal(getattr(signal, name), signal.SIG_DFL)
os.makedirs("tmp", exist_ok=True)


def listing():
    return sorted(os.path.join(root, name) for root, folders, files in os.walk(".") for name in folders + files)


def has_reader(pipe):
    """Whether a process still has the pipe open, or waits to open it."""
    poll = select.poll()
    poll.register(pipe, 0)
    return not any(event & select.POLLERR for _, event in poll.poll(0))


def await_reader():
    for _ in range(12000):
        try:
            return os.open("pipe", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    sys.exit("no tool came to the pipe")


def stop(name, whole_group):
    if not os.path.exists("pipe"):
        os.mkfifo("pipe")
    before = listing()
    build = subprocess.Popen(command, start_new_session=True, env={**os.environ, "TMPDIR": os.path.abspath("tmp")},
                             stderr=subprocess.PIPE)
    pipe = await_reader()
    time.sleep(0.1)
    start = time.monotonic()
    number = getattr(signal, name)
    if whole_group:
        os.killpg(build.pid, number)
    else:
        build.send_signal(number)
    status = build.wait(timeout=60)
    took = time.monotonic() - start
    errors = build.stderr.read().decode()
    problems = []
    if status != -number:
        problems.append(f"status {status}")
    if took > 5:
        problems.append(f"took {took:.1f} s")
    if has_reader(pipe):
        problems.append("a tool is still there")
    if errors:
        problems.append(f"it said {errors!r}")
    os.close(pipe)
    time.sleep(0.1)
    if listing() != before:
        problems.append(f"left {sorted(set(listing()) ^ set(before))}")
    print(f"{name}{' to all' if whole_group else ''}: {'; '.join(problems) or 'clean'}", flush=True)


for name in names:
    stop(name, whole_group=False)
if names != ALL:
    sys.exit()
stop("SIGINT", whole_group=True)

# What whoever starts a build wants ignored stays so.
build = subprocess.Popen(["sh", "-c", 'trap "" HUP; exec "$@"', "sh"] + command, start_new_session=True)
pipe = await_reader()
build.send_signal(signal.SIGHUP)
time.sleep(0.3)
print("ignored:", "goes on" if build.poll() is None else "ended", flush=True)
build.terminate()
build.wait()
os.close(pipe)
