# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer that hands all lines to another one (PEER) and then changes the results that this has saved."""
import os
import subprocess
import sys

peer = subprocess.Popen([os.environ["PEER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    peer.stdin.write(line)
    peer.stdin.flush()
    answer = peer.stdout.readline()
    command, _, path = line.strip().partition(" ")
    if command == "save":
        with open(path, "rb") as file:
            results = bytes(255 - byte for byte in file.read())
        with open(path, "wb") as file:
            file.write(results)
    print(answer, end="", flush=True)
