#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows that check_docs.py finds what it looks for, in a small tree with one fault at a time."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import check_docs

TREE = {
    "README.md": "The `heddle` tool. See [architecture](docs/architecture.md).\n",
    "docs/architecture.md": "[widen](widen.md), [environment](environment.md)\n",
    "docs/widen.md": "`widen-lanes`: `widen.cpp`, `src/widen/widen.h`, `LaneCount`, `makeLanes()`, `lane_count`.\n"
                     "Not done: nothing.\n",
    "docs/environment.md": "Not done: nothing.\n\n| variable | does |\n| --- | --- |\n| `HEDDLE_LANES` | sets |\n| `CPATH` | headers |\n",
    "src/widen/widen.cpp": "// widen.h says how.\nPASS(\"widen-lanes\")\nLaneCount lane_count = makeLanes();\n"
                           "auto t = getenv(\"HEDDLE_LANES\");\n",
    "src/widen/widen.h": "// See widen/widen.cpp, NAME.cpp, x.cu and <stem>.cpp.\n",
    "src/tool.cpp": "for (const char *name : {\"CPATH\"})\n  getenv(name);\nf(\"--device\");\n",
    "tests/run/lanes.cu": "// RUN: cc gone.cu\n// Writes gone.cu.\n",
}


class CheckDocs(unittest.TestCase):
    def problems(self, **changes):
        """The problems of the tree after `changes`: texts that are added to files."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in TREE.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + changes.pop(name, ""))
            self.assertFalse(changes)
            found = list(check_docs.problems(root))
            run = subprocess.run([sys.executable, check_docs.__file__, folder], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1 if found else 0)
            self.assertEqual(len(run.stderr.splitlines()), len(found))
            return found

    def add(self, name, text):
        return self.problems(**{name: text})

    def test_accepts_a_tree_without_faults(self):
        self.assertEqual(self.problems(), [])

    def test_finds_stale_names_of_pages(self):
        for name in ("fold-lanes", "gone.cpp", "src/widen/gone.h", "src/gone", "tests/gone/", "GoneCount", "makeGone()",
                     "HEDDLE_GONE=1", "--gone-device", "Lanes::makeGone"):
            with self.subTest(name):
                found = self.add("docs/widen.md", f"And `{name}`.\n")
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], r"docs/widen\.md:3: there is no .*")

    def test_finds_stale_words_with_underscores_on_pages_of_folders(self):
        self.assertEqual(self.add("docs/widen.md", "`gone_lanes`\n"), ["docs/widen.md:3: there is no gone_lanes"])
        self.assertEqual(self.add("README.md", "`gone_lanes`\n"), [])

    def test_finds_stale_folders_and_files_in_tables(self):
        table = ("\n| folder | files | contents |\n| --- | --- | --- |\n"
                 "| | `widen` | here |\n| `gone` | `lost` | `other` |\n")
        self.assertEqual(self.add("docs/widen.md", table), ["docs/widen.md:7: src/widen has no gone",
                                                            "docs/widen.md:7: src/widen has no lost"])
        self.assertEqual(self.add("README.md", table), [])

    def test_a_comment_keeps_no_name_alive(self):
        found = self.problems(**{"docs/widen.md": "`old-lanes`\n", "src/tool.cpp": "// old-lanes were dropped\n"})
        self.assertEqual(found, ["docs/widen.md:3: there is no old-lanes"])

    def test_finds_stale_files_in_comments(self):
        self.assertEqual(self.add("src/tool.cpp", "x(); // as widen/gone.cpp has it\n"),
                         ["src/tool.cpp:4: there is no widen/gone.cpp"])
        self.assertEqual(self.add("tests/run/lanes.cu", "// See src/gone.cpp.\n"),
                         ["tests/run/lanes.cu:3: there is no src/gone.cpp"])

    def test_compares_the_table_of_variables_with_the_sources(self):
        self.assertEqual(self.add("src/tool.cpp", "getenv(\"HEDDLE_NEW\");\n"),
                         ["docs/environment.md does not list HEDDLE_NEW"])
        self.assertEqual(self.add("docs/environment.md", "| `CUDA_OLD` | nothing |\n"),
                         ["docs/environment.md lists CUDA_OLD, which no source reads"])

    def test_finds_broken_links_long_lines_and_pages_that_are_not_listed(self):
        self.assertEqual(self.add("README.md", "[gone](docs/gone.md)\n"), ["README.md:2: there is no docs/gone.md"])
        self.assertEqual(self.add("README.md", "x" * 101 + "\n"), ["README.md:2: 101 columns; at most 100"])
        with unittest.mock.patch.dict(TREE, {"docs/new.md": "New.\n"}):
            self.assertEqual(self.problems(), ["docs/new.md does not say what is not done",
                                               "docs/architecture.md does not list new.md"])

    def test_counts_words(self):
        found = self.add("docs/widen.md", "a b c d e\n" * 9000)
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], "have 45039 words; at most 40000")


if __name__ == "__main__":
    unittest.main()
