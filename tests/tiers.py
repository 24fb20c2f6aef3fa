# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often a lit test runs its program: lit's shell tests, whose RUN lines may begin with these words.

  %widths CMD          CMD at the default width and at width 1; in check-all also at 8, 16 and 32
  %widths(64,256) CMD  the same, in check-all also at 64 and 256
  %at(8,32) CMD        CMD at widths 8 and 32, in both tiers: for tests of what happens at these widths
  %cpu(NAME) CMD       in check-all, CMD as on the processor NAME (HEDDLE_CPU)
  %all CMD             CMD in check-all only

CMD is the rest of the line, with pipes and `&&`. Each run is a command of its own, so lit says which one failed. Words
that come first may be followed by others: `%all %at(64) %t`. Such a line is not continued by a backslash.
"""
import re
import zlib

import lit.formats
import lit.Test
import measure

WIDTHS = [1, 8, 16, 32]  # lanes of a warp program; None is the width that the compiler chooses
WORDS = re.compile(r"%(widths|at|cpu|all)(?:\(([^)\s]*)\))?\s+(.*)")
LINE = re.compile(rb"RUN:.*?(%(?:widths|at|cpu|all)[( ].*)$", re.MULTILINE)


class Test(lit.formats.ShTest):
    def __init__(self, features, times=None, prefix=""):
        """The features say what tier it is and what the machine has: "check-all", "x86", "avx512". The processor time of
        each test that passes is added to the file `times`, where its name begins with `prefix`."""
        super().__init__(execute_external=False)
        self.features, self.times, self.prefix = features, times, prefix

    def quick(self, path):
        """Tests of results take LLVM's quick back end, for it makes the same results of the same code before it, and host
        code that is not optimized. One in ten, and all in check-all, take what users have."""
        name = measure.name_of(path)
        of_results = name.startswith(("tests/run/", "tests/fortran/", "examples/"))
        sampled = zlib.crc32(name.encode()) % 10 == 0
        return of_results and not sampled and "check-all" not in self.features

    def execute(self, test, lit_config):
        quick = self.quick(test.getSourcePath())
        test.config.environment["HEDDLE_BACK_END"] = "quick" if quick else "full"
        test.config.environment["NVCC_PREPEND_FLAGS"] = "-O0" if quick else ""
        self.extra_substitutions = self.substitutions(test.getSourcePath())
        if self.times:
            measure.sample_reference(self.times)
        with measure.Measured(self.times, self.prefix + measure.name_of(test.getSourcePath())) as measured:
            result = super().execute(test, lit_config)
            if result.code is not lit.Test.PASS:
                measured.name = None
        return result

    def substitutions(self, path):
        """One for each line with such a word: lit's own cannot repeat what follows them."""
        with open(path, "rb") as file:
            lines = {line.decode().strip() for line in LINE.findall(file.read())}
        lines = sorted(lines, key=len, reverse=True)  # one may be the end of another
        return [(re.escape(line) + r"\s*$", " && ".join(self.commands(line)) or ":") for line in lines]

    def commands(self, text):
        match = WORDS.match(text)
        if not match:
            return [text]
        word, argument, rest = match.groups()
        commands = self.commands(rest)
        if word == "all":
            return commands if "check-all" in self.features else []
        if word == "cpu":
            return [f"env HEDDLE_CPU={argument} {one}" for one in commands] if self.runs_as(argument, rest) else []
        named = [int(width) for width in argument.split(",")] if argument else []
        if word == "widths":
            named = [None, *WIDTHS, *named] if "check-all" in self.features else [None, 1]
        return [f"env HEDDLE_WIDTH={width} {one}" if width else one for width in named for one in commands]

    def runs_as(self, cpu, rest):
        """As on AVX2 is what a machine without AVX-512 does by itself, and as on AVX-512 what it cannot do."""
        plain = "HEDDLE_" not in rest and "%at" not in rest
        other = "avx512" in self.features or not (cpu == "x86-64-v4" or cpu == "x86-64-v3" and plain)
        return {"check-all", "x86"} <= self.features and other
