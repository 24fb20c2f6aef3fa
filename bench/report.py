# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: on the terminal while it is measured, and as Markdown for docs/performance.md."""
import math
import os
import statistics

import plot

OURS = "cuda"
COLUMNS = [("opencl", "POCL"), ("openmp-clang", "clang"), ("openmp-gxx", "g++")]
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def milliseconds(result):
    return statistics.median(result["seconds"]) * 1e3


def rate(result):
    """Work a second in the unit's usual multiple."""
    perSecond = result["work"] / statistics.median(result["seconds"])
    unit = {"flops": "GFLOP/s", "bytes": "GB/s", "items": "M/s"}[result["unit"]]
    return f"{perSecond / (1e6 if result['unit'] == 'items' else 1e9):.1f} {unit}"


def cells(row):
    """name, time, rate, a ratio for each peer, fraction of the limit: as text."""
    ours = row["results"].get(OURS, {"failed": "not run"})
    texts = [row["name"]]
    texts += ["failed", ""] if "failed" in ours else [f"{milliseconds(ours):.2f} ms", rate(ours)]
    for label, _ in COLUMNS:
        ratio = row["ratios"].get(label)
        failed = "failed" in row["results"].get(label, {})
        texts.append(f"{ratio:.2f}" if ratio else "failed" if failed else "-")
    return texts + [f"{100 * row['fraction']:.0f} %" if "fraction" in row else "-"]


def titles():
    return ["kernel", "ours", "rate"] + [f"vs {title}" for _, title in COLUMNS] + ["of limit"]


def justify(texts):
    return f"{texts[0]:<18}{texts[1]:>12}{texts[2]:>16}" + "".join(f"{text:>11}" for text in texts[3:])


def limitsText(run):
    limits = run["limits"]
    return (f"{run['machine']['cores']} cores, {run['machine']['vectors']}; FMA peak {limits['fma'] / 1e9:.0f} GFLOP/s, "
            f"triad {limits['triad'] / 1e9:.1f} GB/s, with streaming stores {limits['triad_streaming'] / 1e9:.1f} GB/s")


def heading(run):
    return limitsText(run) + "\nratios: the peer's time over ours; above 1 we are faster\n\n" + justify(titles())


def line(row):
    text = justify(cells(row))
    for label, result in row["results"].items():
        if "failed" in result:
            text += f"\n    {label}: {result['failed']}"
    return text


def bestOpenMp(row):
    ratios = [row["ratios"].get(label) for label in ("openmp-clang", "openmp-gxx")]
    return min(ratios) if all(ratios) else None


def geometricMean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def isKernel(row):
    return not row["name"].startswith("launch")


def summary(run):
    rows = [row for row in run["rows"] if isKernel(row)]
    pocl = [row["ratios"]["opencl"] for row in rows if row["ratios"].get("opencl")]
    openMp = [bestOpenMp(row) for row in rows if bestOpenMp(row)]
    slower = [row["name"] for row in rows if min([row["ratios"].get("opencl") or 9, bestOpenMp(row) or 9]) < 1]
    lines = [f"geometric mean: {geometricMean(pocl):.2f} against POCL ({len(pocl)} kernels), "
             f"{geometricMean(openMp):.2f} against the better OpenMP build ({len(openMp)} kernels)",
             f"slower than a peer: {', '.join(slower) if slower else 'none'}"]
    for row in run["rows"]:
        ours = row["results"].get(OURS, {})
        if not isKernel(row) and "seconds" in ours:
            lines.append(f"{row['name']}: {milliseconds(ours) * 1e3 / ours['work']:.2f} us a launch")
    start = run.get("start")
    if start and start["cold"]:
        lines.append(f"heddle run, vector addition: cold {start['cold']:.3f} s, warm {start['warm']:.3f} s")
    elif start:
        lines.append("heddle run, vector addition: failed")
    return "\n".join(lines)


def markdown(run):
    table = [titles(), ["---"] + ["--:"] * (len(titles()) - 1)] + [cells(row) for row in run["rows"]]
    rows = "\n".join("| " + " | ".join(texts) + " |" for texts in table)
    points = "\n".join("- " + text for text in summary(run).split("\n"))
    return f"Machine: {limitsText(run)}.\n\n{rows}\n\n{points}\n"


def record(run, docs):
    """Puts the table between the marks of docs/performance.md, and the plot beside it."""
    path = os.path.join(docs, "performance.md")
    with open(path) as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(path, "w") as file:
        file.write(f"{before}{BEGIN}\n{markdown(run)}{END}{after}")
    with open(os.path.join(docs, "performance.svg"), "w") as file:
        file.write(plot.svg(run))
