# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions tests call, for api_support.py.

A test is a *_test.cpp of src/ or lib/, a source or header of tests/, or a CUDA source of examples/. It calls a
function where the function's name stands in front of an opening parenthesis, outside comments and literals, but not
  - behind a word other than return, else, do and co_return, or behind *, & or >: it is declared there, or defined as
    a macro;
  - behind a dot: there it is another thing's member.
The text of macros counts, whether they are used or not, and so does what no run reaches. The name is the one that the
headers' macros make of it: with CUDA_API_PER_THREAD_DEFAULT_STREAM, which the file defines or its RUN lines ask for,
that of the twin; for a name of several versions that of the second, but behind an #undef of the name.
"""
import re

from made_pages import ROOT

TESTS = ("src/**/*_test.cpp", "lib/**/*_test.cpp", "tests/**/*.c", "tests/**/*.cc", "tests/**/*.cpp", "tests/**/*.cu",
         "tests/**/*.h", "examples/**/*.cu")
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/                           # comments
                         |R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"       # strings
                         |(?<!\w)'(?:[^'\\\n]|\\[^\n][^'\n]*)'       # characters, but not 1'000
                      """, re.S | re.X)
IN_FRONT = re.compile(r"(?<![\w.])(\w+)\s*\(")
BEFORE_CALL = {"return", "else", "do", "co_return"}


def calls(text):
    """The names that a text calls, with their places."""
    text = NO_CODE.sub(lambda match: " " * len(match[0]), text)
    for match in IN_FRONT.finditer(text):
        before = text[max(match.start() - 80, 0):match.start()].rstrip()
        word = re.search(r"\w+$", before)
        if word[0] in BEFORE_CALL if word else not (before.endswith(("*", ">")) or re.search(r"(?<!&)&$", before)):
            yield match[1], match.start()


def called(text, versions, twins):
    """The symbols that a test's text calls. versions: {name: its second version}; twins: {name: its twin}."""
    undone = {name: text.find(f"#undef {name}\n") for name in versions}
    defines = re.search(r"#define CUDA_API_PER_THREAD_DEFAULT_STREAM\b", text)
    has_twins = defines or re.search(r"default-stream[ =]per-thread|-DCUDA_API_PER_THREAD_DEFAULT_STREAM", text)
    symbols = set()
    for name, place in calls(text):
        if name in versions and not 0 <= undone[name] < place:
            name = versions[name]
        if has_twins and name in twins:
            symbols.add(twins[name])
        if not (defines and name in twins):
            symbols.add(name)
    return symbols


def test_texts():
    return [file.read_text(errors="replace") for pattern in TESTS for file in sorted(ROOT.glob(pattern))]
