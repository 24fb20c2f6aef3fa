#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# damage.py CACHE COMMAND...: damages the entries of a cache in one way after the other, each time all of them, and runs
# the command, which must give what it gave at first, say nothing on stderr, and leave sound entries.
import os
import shutil
import subprocess
import sys

cache, command = sys.argv[1], sys.argv[2:]


def entries():
    for folder, _, names in os.walk(cache):
        if len(os.path.basename(folder)) == 2:
            yield from (os.path.join(folder, name) for name in names)


def write(path, content):
    """Another file of the same mode and name: a program that has just run may not be written to yet."""
    with open(path + ".new", "wb") as file:
        file.write(content)
    shutil.copymode(path, path + ".new")
    os.replace(path + ".new", path)


def flip(place):
    def action(path):
        content = bytearray(open(path, "rb").read())
        content[place(len(content))] ^= 0x40
        write(path, content)
    return action


def cut(path):
    content = open(path, "rb").read()
    write(path, content[: len(content) // 2])


def hide(path):
    os.chmod(path, 0)


def link(path):
    os.rename(path, cache + "/moved")
    os.symlink(cache + "/moved", path)


ways = {"header": flip(lambda size: 20), "middle": flip(lambda size: size // 2), "cut": cut,
        "mode 000": hide, "link": link}


def run():
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0 or result.stderr:
        sys.exit(f"exit code {result.returncode}, {result.stdout}{result.stderr}")
    return result.stdout


wanted = run()
sound = {path: open(path, "rb").read() for path in entries()}
if len(sound) < 3:
    sys.exit(f"a program, a manifest and a kernel are wanted in the cache; it has {sorted(sound)}")
for name, way in ways.items():
    # Each entry by itself, for a damaged manifest leads to no program.
    for path in sound:
        before = open(path, "rb").read()
        way(path)
        damaged = open(path, "rb").read() if os.access(path, os.R_OK) else None
        if run() != wanted:
            sys.exit(f"{name}: another result")
        now = open(path, "rb").read() if os.access(path, os.R_OK) else None
        whole = now is not None if damaged == before else now not in (None, damaged)
        if not whole or os.path.islink(path):
            sys.exit(f"{name}: {path} was not replaced")
