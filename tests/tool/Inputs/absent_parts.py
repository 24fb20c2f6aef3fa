# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""absent_parts.py TABLE NVCC LIB64: each header that the table names is missed by name, and each of its libraries is a file
that ends a link with its name. A header that is there after all does not belong into the table."""
import re
import subprocess
import sys

table, nvcc, folder = sys.argv[1:]
lines = open(table).read().splitlines()
headers = [m.groups() for m in (re.match(r'HEDDLE_ABSENT_HEADERS\("(.*)", "(.*)"\)', line) for line in lines) if m]
libraries = [m.groups() for m in (re.match(r'HEDDLE_ABSENT_LIBRARY\((.*), "(.*)"\)', line) for line in lines) if m]
wrong = len(headers) < 30 or len(libraries) < 40
# One compilation for all: a missing header ends it, so each stands behind the test whether it is there.
text = "".join(f"#if __has_include(<{name}>)\n#error {name} is there\n#endif\n" for name, _ in headers if "." in name)
errors = subprocess.run([nvcc, "-x", "cu", "-E", "-o", "/dev/null", "-"], input=text, text=True, capture_output=True).stderr
if errors:
    print(errors)
    wrong = True
for name, title in libraries:
    script = open(f"{folder}/lib{name}.so").read()
    if f"-l{name}: {title} is not in this version" not in script:
        print(name, script)
        wrong = True
sys.exit(wrong)
