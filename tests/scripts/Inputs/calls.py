# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the symbols that a text calls, as tools/test_calls.py reads it, and what tools/runtime_table.py makes of rows."""
import pathlib
import sys

import runtime_table
import test_calls

text = pathlib.Path(sys.argv[1]).read_text()
print(*sorted(test_calls.called(text, {"old": "old_v2"}, {"twice": "twice_ptsz"})))
rows = [runtime_table.Row(*match.groups()) for match in map(runtime_table.ROW.match, text.splitlines()) if match]
print("\n".join(row.prototype() for row in rows))
print("\n".join(runtime_table.disagreements(rows)))
