#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# interrupt.py PROGRAM: sends SIGINT to the program (tests/errors/interrupt.cu) in each of its ways to wait.
import signal
import subprocess
import sys
import time

for way in ("poll", "compute", "poll with handler", "compute with handler"):
    process = subprocess.Popen([sys.argv[1], way], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    if process.stdout.readline() != "launched\n":
        sys.exit(f"{way}: did not start")
    time.sleep(0.3)  # into the synchronisation
    process.send_signal(signal.SIGINT)
    output, code = process.communicate()[0], process.returncode
    wanted = ("handled\n", 42) if "handler" in way else ("", -signal.SIGINT)
    if (output, code) != wanted:
        sys.exit(f"{way}: exit code {code}, output {output!r}")
