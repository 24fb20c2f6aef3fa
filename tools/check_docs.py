#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages of docs/, README.md and the comments of the sources against the tree.

Pages: links lead to files; lines have at most 100 columns but for rows of tables; docs/architecture.md lists every
page; docs/simt.md and docs/jit.md stay within 250 lines; each page says what is not done; all pages together have at
most 40,000 words, without blocks of code.

Names in `code style` exist. A path, or a name of a file with one of our suffixes, is in the tree (`foo.*` stands for
any file, a header without its folder may be one of CUDA's that is not there, and lib/heddle is a folder of a build). A
word with a hyphen (passes, options), a capital letter inside (functions, types) or of the form HEDDLE_... is in the
code of some file, outside of comments; so is a word with an underscore on the page of a folder of src/. Spans with `*`
or `[` name groups and are not looked at; docs/coverage.md names other people's programs and is checked for files only.
On the page of a folder of src/, columns of tables headed "folder" or "file" name what is in that folder.

Comments: the files that they name exist; those of tests may name files without a folder that they make.

docs/environment.md: its tables list each environment variable that the sources read, and no other."""
import pathlib
import re
import sys

from made_pages import ROOT, report

COLUMNS = 100
WORDS = 40_000
LINES = {"simt.md": 250, "jit.md": 250}
COMPLETE = ("architecture", "glossary", "api_support", "library_support", "gallery")  # pages of which others say what is not done
SOURCES = ("src", "include", "lib", "tests", "tools", "bench", "examples", "cmake")
TOP = ("CMakeLists.txt", "CMakePresets.json", "Makefile")
SCRIPTS = (".py", ".sh", ".cmake")
C_LIKE = (".cpp", ".h", ".cu", ".def", ".inc", ".c", ".cl")

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SPAN = re.compile(r"`([^`]+)`")
SUFFIXES = r"\.(?:cpp|def|py|cu|ll|cuf|CUF|inc|rules|test|sh|md)"
FILE = re.compile(rf"(?!foo\.)[\w./-]+{SUFFIXES}|[\w.-]+/[\w./-]+\.h")
PATH = re.compile(rf"(?!lib/heddle)(?:{'|'.join(SOURCES)})/[\w./-]+")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
NAME = re.compile(r"HEDDLE_[A-Z_]+|[a-z][a-z0-9]*(?:-[a-z0-9]+)+|[A-Za-z]+[a-z][A-Z][A-Za-z0-9]*")
SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
# A path is not looked at if something is glued to it: %t.cpp, <file>.cpp, *_test.cpp, https://... Nor are names that
# stand for any: foo.cu, x.cu, NAME.cu.
IN_COMMENT = re.compile(r"(?<![\w.%*<>/$}{\"'-])(?!foo\.|x\.)((?:\w[\w-]*/)*(?![A-Z]+\.)\w[\w-]*" + SUFFIXES +
                        r")(?![\w*]|\.\w)")
ENVIRONMENT = re.compile(r"\b(?:getenv|environment|appendVariable)\(\s*(?:\"([A-Z0-9_]+)\"|\w+)")
LITERAL = re.compile(r"(?<=[{(,\s])\"([A-Z][A-Z0-9_]{3,})\"\s*(?=[,})])")
ROW = re.compile(r"^\| `([A-Z_0-9]+)(?:=[^`]*)?`", re.MULTILINE)


def source_files(root):
    files = [path for folder in SOURCES for path in sorted((root / folder).rglob("*"))
             if path.is_file() and path.suffix != ".pyc"]
    return files + [root / name for name in TOP if (root / name).is_file()]


def text_of(path):
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def without_comments(path, text):
    if path.suffix in C_LIKE:
        return re.sub(r"(?<![:\"])//.*", "", text)
    return re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE) if path.suffix in SCRIPTS else text


def comments(path, text):
    """Numbers and texts of lines that are comments, but for the commands of tests."""
    mark = "//" if path.suffix in C_LIKE else "#" if path.suffix in SCRIPTS or path.name == "CMakeLists.txt" else None
    if mark:
        for number, line in enumerate(text.splitlines(), 1):
            found = re.search(rf"(?:^|\s){mark}(.*)", line)
            if found and not re.match(r"\s*(?:RUN|CHECK|NVCC|REQUIRES|UNSUPPORTED)\b", found.group(1)):
                yield number, found.group(1)


class Tree:
    """What the sources have: paths, words of code, comments that name files, and variables that are read."""

    def __init__(self, root):
        self.root = root
        self.paths, self.words, self.variables, self.stale = set(), set(), set(), []
        texts = {path: text_of(path) for path in source_files(root)}
        for path in [*texts, *(root / "docs").glob("*")]:
            parts = path.relative_to(root).parts
            for end in range(1, len(parts) + 1):
                for start in range(end):
                    name = "/".join(parts[start:end])
                    self.paths |= {name, name.rsplit(".", 1)[0]} if end == len(parts) else {name}
        for path, text in texts.items():
            code = without_comments(path, text)
            for word in WORD.findall(code):
                self.words |= {word, *word.split("-")}
            if path.parts[len(root.parts)] in ("src", "include", "lib") and "_test." not in path.name:
                self.variables |= variables(code)
        for path, text in texts.items():
            name = path.relative_to(root)
            self.stale += [f"{name}:{number}: there is no {file}" for number, comment in comments(path, text)
                           for file in IN_COMMENT.findall(comment)
                           if not self.has(file) and ("/" in file or name.parts[0] != "tests")]

    def has(self, name):
        name = name.rstrip("/")
        return name in self.paths or (self.root / name).exists()


def variables(code):
    """The environment variables that a file reads: arguments of getenv and of the functions around it, and where such
    a function is called with a variable, all literals of the file that are an argument or in a list by themselves."""
    found = ENVIRONMENT.finditer(code)
    names = {match.group(1) for match in found}
    if None in names and re.search(r"\bgetenv\(\s*\w+\)", code):
        names |= set(LITERAL.findall(code))
    return names - {None}


def stale_names(page, line, tree):
    """The names in the code style of a line that are not in the tree."""
    source_page = (tree.root / "src" / page.stem).is_dir()
    for span in SPAN.findall(line):
        if re.search(r"[*<\[]", span):
            continue
        if FILE.fullmatch(span) or PATH.fullmatch(span):
            if not tree.has(span):
                yield span
        elif page.name != "coverage.md":
            for word in WORD.findall(span):
                known = word in tree.words or word.removeprefix("lib") in tree.words
                if not known and (NAME.fullmatch(word) or source_page and SNAKE.fullmatch(word)):
                    yield word


def stale_parts(page, lines, tree):
    """Line and name of what columns headed "folder" or "file" list that is not in the page's folder of src/."""
    folder = tree.root / "src" / page.stem
    parts = {part for path in folder.rglob("*") for relative in [path.relative_to(folder)]
             for start in range(len(relative.parts)) for part in [pathlib.Path(*relative.parts[start:])]
             for part in (str(part), str(part.with_suffix("")))}
    header = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or not header:
            header = cells
        for title, cell in zip(header, cells) if parts else []:
            if title in ("folder", "file", "files"):
                yield from ((number, name) for name in SPAN.findall(cell)
                            if not re.search(r"[*<\[]", name) and name not in parts
                            and not ("/" in name and tree.has(name)))


def page_problems(page, tree):
    name = page.relative_to(tree.root)
    lines = page.read_text().splitlines()
    yield from (f"{name}:{number}: src/{page.stem} has no {part}" for number, part in stale_parts(page, lines, tree))
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not line.startswith("|"):
            yield f"{name}:{number}: {len(line)} columns; at most {COLUMNS}"
        for target in LINK.findall(line):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{name}:{number}: there is no {target}"
        for word in stale_names(page, line, tree):
            yield f"{name}:{number}: there is no {word}"
    if len(lines) > LINES.get(page.name, len(lines)):
        yield f"{name}: {len(lines)} lines; at most {LINES[page.name]}"
    if page.parent.name == "docs" and page.stem not in COMPLETE and "not done" not in page.read_text().lower():
        yield f"{name} does not say what is not done"


def environment_problems(tree):
    listed = set(ROW.findall((tree.root / "docs/environment.md").read_text()))
    yield from (f"docs/environment.md does not list {name}" for name in sorted(tree.variables - listed))
    yield from (f"docs/environment.md lists {name}, which no source reads" for name in sorted(listed - tree.variables))


def problems(root):
    tree = Tree(root)
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for page in pages:
        yield from page_problems(page, tree)
    index = (root / "docs/architecture.md").read_text()
    yield from (f"docs/architecture.md does not list {page.name}" for page in pages[1:]
                if page.name != "architecture.md" and f"]({page.name})" not in index)
    words = sum(len(line.split()) for page in pages for line in page.read_text().splitlines()
                if not line.startswith("    "))  # blocks of code do not count
    if words > WORDS:
        yield f"docs/ and README.md have {words} words; at most {WORDS}"
    yield from tree.stale
    yield from environment_problems(tree)


if __name__ == "__main__":
    sys.exit(report(list(problems(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT))))
