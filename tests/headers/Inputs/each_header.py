# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""each_header.py FOLDER COMPILER...: compiles each public header of FOLDER alone, named by its path: they find each other.
each_header.py --list FOLDER: prints an #include of each, but for one of two that exclude each other.
With --libcudacxx first it is those of libcu++."""
import pathlib
import subprocess
import sys

of_libcudacxx = sys.argv[1] == "--libcudacxx"
if of_libcudacxx:
    del sys.argv[1]
listing = sys.argv[1] == "--list"
folder = pathlib.Path(sys.argv[2 if listing else 1]).resolve()
if of_libcudacxx:
    paths = [p for p in (folder / "cuda").rglob("*") if p.is_file() and p.name != "pipeline"]
else:
    suffixes = {".h"} if "gcc" in sys.argv[2:3] else {".h", ".hpp"}
    paths = [p for p in folder.rglob("*.h*") if p.suffix in suffixes and "heddle" not in p.relative_to(folder).parts]
headers = sorted(str(p.relative_to(folder)) for p in paths)
if len(headers) < (20 if of_libcudacxx else 40):
    sys.exit("only %d headers in %s" % (len(headers), folder))
if listing:
    print("\n".join('#include "%s"' % h for h in headers if h != "cublas.h"))
    sys.exit()
language = "c++" if "++" in sys.argv[2] else "c"
failed = 0
for header in headers:
    source = '#include "%s"\nint heddle_nothing;\n' % (header if of_libcudacxx else folder / header)
    command = sys.argv[2:] + ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-D_GNU_SOURCE", "-fsyntax-only"]
    command += (["-I", str(folder)] if of_libcudacxx else []) + ["-x", language, "-"]
    result = subprocess.run(command, input=source, text=True, capture_output=True)
    if result.returncode:
        failed += 1
        print(header, result.stderr, file=sys.stderr)
sys.exit(1 if failed else 0)
