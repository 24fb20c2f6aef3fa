# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# break.py FROM TO KEY: a program in which one condition of a pass is broken. A line ";@KEY text" becomes "text", one
# that ends in "; not KEY ..." (or several keys) goes.
import re
import sys

source, target, key = sys.argv[1:4]
changed = 0
lines = []
for line in open(source).read().splitlines():
    added = re.match(r"\s*;@(\S+)\s?(.*)$", line)
    gone = re.search(r"; not ((?:\S+ ?)+)$", line)
    if added and added.group(1) == key:
        lines.append(added.group(2))
        changed += 1
    elif gone and not added and not line.startswith(";") and key in gone.group(1).split():
        changed += 1
    else:
        lines.append(line)
open(target, "w").write("\n".join(lines) + "\n")
sys.exit(0 if changed else f"{source}: nothing is marked {key}")
