# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expand.py FILE FEATURE...: the RUN lines of a file as tests/tiers.py makes them, with these features."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import tiers  # noqa: E402

substitutions = tiers.Test(set(sys.argv[2:])).substitutions(sys.argv[1])
with open(sys.argv[1]) as file:
    for line in (line.partition("RUN: ")[2].rstrip() for line in file if line.startswith("RUN: ")):
        for pattern, text in substitutions:
            line = re.sub(pattern, text.replace("\\", "\\\\"), line)
        print("line:", line)
