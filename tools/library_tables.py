# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of CUDA's libraries, lib/*/*.def, for api_support.py: docs/library_support.md and what is checked.

A table says at its top which library it is of, `// Library: cuBLAS (libcublas.so.12)`. The headers include/<table>*.h
belong to it, but for those of a table with a longer name (cublas.def has cublasXt.h, and cublasLt.def cublasLt.h).
"""
import re
import subprocess

from made_pages import ROOT, is_old, wrap

PAGE = ROOT / "docs/library_support.md"
ROW = re.compile(r"^HEDDLE_FUNCTION\((\w+), (\w+), (Done|Unsupported)\)$", re.M)
TYPED = re.compile(r"^(cublas(?:Xt|I)?|cusolver(?:Dn|Sp|SpHost)|cusparse)([SDCZ][SDCZHBXKEY]?)([a-z0-9].*)$")
TITLE = re.compile(r"^// Library: (.*) \((lib.*\.so\S*)\)$", re.M)


class Table:
    def __init__(self, path):
        text = path.read_text()
        self.path, self.stem = path, path.stem
        self.title, self.file = TITLE.search(text).groups()
        self.rows = ROW.findall(text)

    def names(self):
        return [name for _, name, _ in self.rows]


def tables():
    paths = [path for path in ROOT.glob("lib/*/*.def") if TITLE.search(path.read_text())]  # others list other things
    return sorted(map(Table, paths), key=lambda table: table.stem.lower())


def short(names):
    """Names in code style: one for each pair of `name` and `name_64`, and one for functions that differ in the letter
    of the element type."""
    groups = {}  # what is around the letter: the letters
    for name in names:
        if not (name.endswith("_64") and name.removesuffix("_64") in names):
            match = TYPED.match(name)
            around = (match[1], match[3]) if match else (name, "")
            groups.setdefault((*around, f"{name}_64" in names), []).append(match[2] if match else "")
    def choice(letters):
        return letters[0] if len(letters) == 1 else "[" + ("," if len(max(letters, key=len)) > 1 else "").join(letters) + "]"

    return [f"`{head}{choice(letters)}{tail}{'[_64]' * wide}`" for (head, tail, wide), letters in groups.items()]


def make_page(found):
    lines = [
        "# Support of CUDA's libraries", "",
        "Made by `tools/api_support.py` from `lib/*/*.def`; do not edit. A function that is not supported exists, returns its library's "
        "status for that and says so once on stderr. `cublas[CZ]gemm3m[_64]` is four functions: `cublasCgemm3m`, "
        "`cublasZgemm3m`, `cublasCgemm3m_64`, `cublasZgemm3m_64`. [Libraries](libraries.md) describes how they work.", "",
    ]
    for table in found:
        done = sum(state == "Done" for _, _, state in table.rows)
        lines += [f"## {table.title}: {done} of {len(table.rows)}", "", f"`{table.file}`, by `{table.path.relative_to(ROOT)}`.", ""]
        lines += ["| group | done | not supported |", "| --- | --- | --- |"]
        for group in dict.fromkeys(group for group, _, _ in table.rows):
            named = {state: short([name for g, name, s in table.rows if (g, s) == (group, state)]) for state in ("Done", "Unsupported")}
            done = " ".join(named["Done"]) if named["Unsupported"] else "all"
            lines.append(f"| {group} | {done} | {' '.join(named['Unsupported'])} |")
        lines.append("")
    return wrap("\n".join(lines))


def owner(name, found):
    """The table that a header's or a function's name belongs to: of those whose stem it begins with, the longest."""
    return max((t for t in found if name.startswith(t.stem)), key=lambda table: len(table.stem), default=None)


def headers(table, found):
    return [path for path in sorted((ROOT / "include").glob(f"{table.stem}*.h")) if owner(path.name, found) is table]


def declared(header, table, found):
    """The functions of the table's library that a header declares, as a C compiler sees it; bodies do not count."""
    text = subprocess.run(["cc", "-E", "-P", f"-I{ROOT / 'include'}", header], check=True, capture_output=True, text=True).stdout
    inner = re.compile(r"\{[^{}]*\}")
    while inner.search(text):
        text = inner.sub("@", text)
    text = re.sub(r"\btypedef\b[^;]*;", "", text)
    names = set(re.findall(rf"\b({table.stem}\w*)\s*\([^;@]*?\)[^;()@]*;", text))
    return {name for name in names if owner(name, found) is table}


def untested(table, words):
    """Functions that are done and no test names; a header's macro may have turned the plain name into `_v2`."""
    def is_tested(name):
        return name in words or re.sub(r"_v2(?=$|_64$)", "", name) in words

    return [name for _, name, state in table.rows if state == "Done" and not is_tested(name)]


def check(words):
    """What is wrong with the tables and their page; `words`: all that tests name."""
    found = tables()
    problems = is_old(PAGE, make_page(found))
    for table in found:
        names = table.names()
        problems += [f"{table.path.name} has {name} twice" for name in sorted({n for n in names if names.count(n) > 1})]
        for header in headers(table, found):
            missing = declared(header, table, found) - set(names)
            problems += [f"{header.name} declares {name}, which {table.path.name} lacks" for name in sorted(missing)]
        problems += [f"{name} is done, but no test names it" for name in untested(table, words)]
    return problems


def rows_of(library):
    """The rows of the table of a shared library, by its file's name; none for one that has no table."""
    return next((table.rows for table in tables() if library.name.startswith(table.file.split(".so")[0] + ".so")), None)
