#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counting costs: how many times the processor time of a plain run a counted one takes, by kernel, and how many
instructions of warps are counted in a second.

  profile.py BUILD [--only NAME,...] [--blocks 0,16:1] [--slot 0.05] [--results]

Ours (`make -C bench`) runs once plain and once for each of --blocks: so many blocks of each launch are counted (0: all),
and so many of these kept step by step. What takes longer than --limit seconds is shown as `slow`; `--results` also
compares what a counted run computes with what the plain one does.
"""
import math
import os
import re
import tempfile

from checks import chosen, compared, prepared, secondsOf, text
from peer import Peer

COUNTED = re.compile(r"^counted: .* (\d+) warp instructions,")


class Counted(Peer):
    """A peer whose counts go to a file."""

    def __init__(self, path, blocks, folder):
        self.log = os.path.join(folder, "counts" + blocks)
        variables = {"HEDDLE_COUNT": self.log}
        if blocks != "0":
            variables["HEDDLE_COUNT_BLOCKS"] = blocks.replace(":", ",")
        super().__init__(path, variables)

    def instructions(self):
        """Of the launches of the process that ends now: of warps, in the mean."""
        self.end()
        counts = []
        if os.path.exists(self.log):
            with open(self.log) as file:
                counts = [int(match.group(1)) for match in map(COUNTED.match, file) if match]
            os.remove(self.log)
        return sum(counts) / len(counts) if counts else 0


def main():
    options, path = prepared("--blocks", "0,16:1")
    columns = options.blocks.split(",")
    with tempfile.TemporaryDirectory() as folder:
        plain = Peer(path)
        counted = {blocks: Counted(path, blocks, folder) for blocks in columns}
        ratios = {blocks: [] for blocks in columns}
        heads = ["all blocks" if blocks == "0" else f"{blocks} blocks" for blocks in columns]
        print("| kernel | plain, ms | " + " | ".join(heads) + " | warp instructions a second |")
        print("|---|---" + "|---" * len(columns) + "|---|", flush=True)
        for name in chosen(plain.ask("list").split(), options):
            file = os.path.join(folder, "results")
            before = secondsOf(plain, name, options.slot, file if options.results else None)
            cells, speed = [], ""
            for blocks, peer in counted.items():
                seconds = secondsOf(peer, name, options.slot, None)
                isTimed = isinstance(seconds, float) and isinstance(before, float)
                note = compared(peer, name, file) if isTimed and options.results else ""
                instructions = peer.instructions()
                if isTimed:
                    ratios[blocks].append(seconds / before)
                    if blocks == "0" and instructions:
                        speed = f"{instructions / seconds / 1e6:.2f} M"
                cells.append(text(seconds / before if isTimed else seconds) + note)
            shown = text(before * 1e3 if isinstance(before, float) else before)
            print(f"| {name} | {shown} | " + " | ".join(cells) + f" | {speed} |", flush=True)
        plain.end()
    mean = lambda values: math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan
    print("| geometric mean | | " + " | ".join(text(mean(values)) for values in ratios.values()) + " | |")
    print("| worst | | " + " | ".join(text(max(values, default=math.nan)) for values in ratios.values()) + " | |")


if __name__ == "__main__":
    main()
