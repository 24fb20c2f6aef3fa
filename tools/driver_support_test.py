#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of driver_headers.py and driver_support.py: versions of names, names on the page, what counts as a call."""
import unittest

from driver_headers import Row, defaults, names, page, declared, pointer_types, read_table
from driver_support import calls_in, short, uncalled


def row(symbol, since, twin="None", state="Done"):
    return Row("memory", symbol, since, twin, "Current", state, "CUdeviceptr *pointer, size_t bytes", "pointer, bytes")


class Headers(unittest.TestCase):
    ROWS = [row("cuA", 2000), row("cuA_v2", 12000, "ptsz"), row("cuA_v3", 12020, "ptsz"), row("cuB", 12080)]

    def test_a_plain_name_is_the_newest_version_of_the_major(self):
        for major, symbol in ((12, "cuA_v2"), (13, "cuA_v3")):
            chosen = {name: r.symbol for name, r in defaults(self.ROWS, major).items()}
            self.assertEqual(chosen, {"cuA": symbol, "cuB": "cuB"})

    def test_newer_versions_have_their_own_names(self):
        self.assertEqual([name for _, name in declared(self.ROWS, 12)], ["cuA", "cuA_v3", "cuB"])
        lines = names(list(declared(self.ROWS, 12)), {})
        per_thread, plain = lines.index("#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM"), lines.index("#else")
        self.assertEqual(lines[per_thread + 1:plain], ["#define cuA cuA_v2_ptsz", "#define cuA_v3 cuA_v3_ptsz"])
        self.assertEqual(lines[plain + 1:], ["#define cuA cuA_v2", "#endif"])

    def test_pointers_of_twins_are_not_older_than_twins(self):
        text = "\n".join(pointer_types([row("cuA", 2000, "ptds")]))
        self.assertIn("typedef CUresult(CUDAAPI *PFN_cuA_v2000)(CUdeviceptr *, size_t);", text)
        self.assertIn("typedef CUresult(CUDAAPI *PFN_cuA_v7000_ptds)(CUdeviceptr *, size_t);", text)

    def test_branches_where_the_majors_differ(self):
        lines = {12: ["a", "old", "b", "only"], 13: ["a", "new", "b"]}
        self.assertEqual(page("", lines.get).splitlines()[-10:],
                         ["a", "#if HEDDLE_CUDA_VERSION < 13", "old", "#else", "new", "#endif", "b",
                          "#if HEDDLE_CUDA_VERSION < 13", "only", "#endif"])

    def test_every_row_has_as_many_arguments_as_parameters(self):
        for r in read_table():
            parameters = [] if r.parameters == "void" else r.parameters.split(", ")
            arguments = r.arguments.split(", ") if r.arguments else []
            self.assertEqual([p.split()[-1].lstrip("*") for p in parameters], arguments, r.symbol)


class Page(unittest.TestCase):
    def test_names_share_brackets_and_versions(self):
        symbols = ["cuCtxCreate", "cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxDetach"]
        self.assertEqual(short(symbols), ["`cuCtx[Create(_v2_v3),Detach]`"])
        self.assertEqual(short(["cuInit", "cuMemAlloc_v2"]), ["`cuInit`", "`cuMemAlloc_v2`"])


class Calls(unittest.TestCase):
    def missing(self, text):
        return uncalled([row("cuA", 2000), row("cuA_v2", 3020)], *calls_in(text))

    def test_a_plain_call_is_of_the_version_that_the_header_chooses(self):
        self.assertEqual(self.missing("EXPECT_EQ(cuA(&p, 1), CUDA_SUCCESS);"), ["cuA"])

    def test_a_call_through_a_table_is_of_its_symbol(self):
        self.assertEqual(self.missing("driver.cuA(&p, 1); table->cuA_v2 (&p, 1);"), [])

    def test_names_are_no_calls(self):
        text = '// cuA(p)\n/* driver.cuA() */ f("cuA()", "\\"cuA_v2(", &cuA, driver.cuA); my_cuA_v2();'
        self.assertEqual(self.missing(text), ["cuA", "cuA_v2"])


if __name__ == "__main__":
    unittest.main()
