# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver API for api_support.py: its part of docs/api_support.md, and what is checked.

A function that is done must be called in a test, not only named. A call is `cuMemAlloc(...)` in a file that includes
cuda.h, whose macros choose the version, or `driver.cuMemAlloc_v2(...)` through a table of pointers (driver/table.h).
"""
import re

import driver_headers
from made_pages import ROOT

WIDTH = 90  # of the names in one pair of brackets
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PLAIN_CALL = re.compile(r"(?<![\w.>])(?:::)?(cu[A-Z]\w*)\s*\(")
TABLE_CALL = re.compile(r"(?:\.|->)(cu[A-Z]\w*)\s*\(")


def short(symbols):
    """Names in code style: `cuCtx[Create,Destroy(_v2)]` is three. Those with the same first word share brackets."""
    names = {}  # without versions: the versions
    for symbol in symbols:
        name, version = re.match(r"(\w+?)(_v\d)?$", symbol).groups()
        names.setdefault(name, []).append(version or "")
    heads = {}
    for name, versions in names.items():
        head, rest = re.match(r"((?:__)?cu(?:da)?[A-Z]+[a-z]*)(\w*)$", name).groups()
        later = "".join(versions)
        rest += f"({later})" if later and "" in versions else later
        chunks = heads.setdefault(head, [[]])
        if sum(map(len, chunks[-1])) + len(rest) > WIDTH:
            chunks.append([])
        chunks[-1].append(rest)
    return [f"`{head}{rests[0]}`" if len(rests) == 1 else f"`{head}[{','.join(rests)}]`"
            for head, chunks in heads.items() for rests in chunks if rests]


def page_lines(rows):
    titles = driver_headers.titles()
    done = sum(row.state != "Unsupported" for row in rows)
    lines = ["## Driver API", "",
             f"By `src/driver/driver.def`. {done} of {len(rows)} symbols of `libcuda.so.1` are done; the others exist, "
             "return `CUDA_ERROR_NOT_SUPPORTED` and say so once on stderr. First versions with addresses of 32 bits return "
             "`CUDA_ERROR_INVALID_CONTEXT`, as on an H200. "
             "Twins with `_ptds`, `_ptsz` are not listed.", "",
             "| group | done | not supported |", "| --- | --- | --- |"]
    for group in dict.fromkeys(row.group for row in rows):
        own = [row for row in rows if row.group == group]
        names = [row.symbol for row in own if row.state == "Unsupported"]
        lines.append(f"| {titles[group]} | {len(own) - len(names)}/{len(own)} | {' '.join(short(names))} |")
    return [*lines, ""]


def calls_in(text):
    """The names that a test calls as functions, and those that it calls through a table."""
    text = STRING.sub('""', COMMENT.sub("", text))
    return set(PLAIN_CALL.findall(text)), set(TABLE_CALL.findall(text))


def called():
    """The same of all tests."""
    files = [*ROOT.glob("src/**/*_test.cpp"), *ROOT.glob("tests/**/*.c*"), *ROOT.glob("tests/**/*.h")]
    calls = [calls_in(path.read_text(errors="replace")) for path in files]
    return [set().union(*names) for names in zip(*calls)]


def uncalled(rows, plain, table):
    names = {row.symbol: name for row, name in driver_headers.declared(rows, 12)}
    return [row.symbol for row in rows
            if row.state == "Done" and row.symbol not in table and names.get(row.symbol) not in plain]


def check(rows):
    symbols = [row.symbol for row in rows]
    problems = [f"{symbol} is in driver.def twice" for symbol in sorted({s for s in symbols if symbols.count(s) > 1})]
    lines = sum(line.startswith("HEDDLE_DRIVER(") for line in driver_headers.TABLE.read_text().splitlines())
    if lines != len(rows):
        problems.append(f"driver.def has {lines - len(rows)} rows of another form than the others")
    return problems + [f"{symbol} is done, but no test calls it" for symbol in uncalled(rows, *called())]


def exports(rows):
    return [*(row.symbol for row in rows), *(row.twin_symbol() for row in rows if row.twin != "None")]
