# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a program that uses every name of the lists in names/, one a line:
#
#     use_names.py [--not LIST]... HEADER... > program.cu
#
# A macro must be defined; an enumerator, which has its value behind it, must have that value; of all else a
# using-declaration takes what there is: a type, a function with its overloads, a variable.
# The names are those of the public reference of CUDA 12.8 (runtime API, math API, programming guide).
import pathlib
import sys

arguments = sys.argv[1:]
left_out = set()
while arguments and arguments[0] == "--not":
    left_out.add(arguments[1])
    arguments = arguments[2:]
print("".join(f"#include <{header}>\n" for header in arguments))
for path in sorted((pathlib.Path(__file__).parent / "names").glob("*.txt")):
    if path.stem in left_out:
        continue
    scope = "::cooperative_groups::" if path.stem == "cooperative_groups" else "::"
    print(f"namespace use_{path.stem} {{")
    for line in path.read_text().splitlines():
        name, *value = line.split()
        if value:
            print(f'static_assert((long long)({name}) == {value[0]}, "{name}");')
        elif path.stem == "keywords":
            print(f"#ifndef {name}\n#error no macro {name}\n#endif")
        else:
            print(f"#ifndef {name}\nusing {scope}{name};\n#endif")
    print("}")
