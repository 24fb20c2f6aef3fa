# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: on the terminal while it is measured, and as Markdown for docs/performance.md."""
import math
import os

OURS = "cuda"
NAMES = {"opencl": "POCL", "openmp-clang": "clang", "openmp-gxx": "g++"}
columns = list(NAMES)  # the peers that have one


def columnsFor(labels):
    columns[:] = labels


def milliseconds(result):
    return result["seconds"] * 1e3


def rate(result):
    """Work a second in the unit's usual multiple."""
    perSecond = result["work"] / result["seconds"]
    unit = {"flops": "GFLOP/s", "bytes": "GB/s", "items": "M/s"}[result["unit"]]
    return f"{perSecond / (1e6 if result['unit'] == 'items' else 1e9):.1f} {unit}"


def cells(row):
    """name, time, rate, a ratio for each peer, fraction of the limit: as text."""
    ours = row["results"].get(OURS, {"failed": "not run"})
    texts = [row["name"]]
    texts += ["failed", ""] if "failed" in ours else [f"{milliseconds(ours):.2f}", rate(ours)]
    for label in columns:
        ratio = row["ratios"].get(label)
        failed = "failed" in row["results"].get(label, {})
        texts.append(f"{ratio:.2f}" if ratio else "failed" if failed else "-")
    return texts + [f"{100 * row['fraction']:.0f} %" if "fraction" in row else "-"]


def titles():
    return ["kernel", "ours, ms", "rate"] + [f"vs {NAMES.get(label, label)}" for label in columns] + ["of limit"]


def justify(texts):
    widths = [max(11, len(title) + 2) for title in titles()[3:]]
    return f"{texts[0]:<21}{texts[1]:>12}{texts[2]:>17}" + "".join(f"{t:>{w}}" for t, w in zip(texts[3:], widths))


def limitsText(run):
    limits, machine = run["limits"], run["machine"]
    held = f", all held to {run['cpu']}" if run["cpu"] else ""
    return (f"{machine['cores']} cores of an {machine['model']}, {machine['vectors']}{held}; FMA peak {limits['fma'] / 1e9:.0f} "
            f"GFLOP/s, triad {limits['triad'] / 1e9:.1f} GB/s, with streaming stores {limits['triad_streaming'] / 1e9:.1f} GB/s")


def clockText(run):
    return "Times are processor time of all threads. " if run["clock"] == "cpu" else ""


def heading(run):
    return (limitsText(run) + "\n" + clockText(run) + "ratios: the peer's time over ours; above 1 we are faster\n\n"
            + justify(titles()))


def line(row):
    text = justify(cells(row))
    for label, result in row["results"].items():
        if "failed" in result:
            text += f"\n    {label}: {result['failed']}"
    return text


def bestOpenMp(row):
    ratios = [row["ratios"].get(label) for label in ("openmp-clang", "openmp-gxx") if label in row["ratios"]]
    return min(ratios) if ratios and all(ratios) else None


def geometricMean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def isKernel(row):
    return not row["name"].startswith("launch")


def means(rows):
    """Geometric means against POCL and against the better OpenMP build; None where there is nothing."""
    pocl = [row["ratios"]["opencl"] for row in rows if row["ratios"].get("opencl")]
    return geometricMean(pocl), geometricMean([bestOpenMp(row) for row in rows if bestOpenMp(row)])


def isSurelySlower(row, label):
    """In three of four rounds the peer's turn was shorter than ours beside it."""
    ours, theirs = (row["results"][peer]["rounds"] for peer in (OURS, label))
    won = sum(their < our for our, their in zip(ours, theirs))
    return won >= 0.75 * min(len(ours), len(theirs))


def slowerThanAPeer(rows):
    """Names of kernels: those that a peer beats, and those that one is level with, where rounds go both ways."""
    slower, level = [], []
    for row in rows:
        losses = [label for label, ratio in row["ratios"].items() if ratio and ratio < 1]
        if losses:
            (slower if any(isSurelySlower(row, label) for label in losses) else level).append(row["name"])
    return slower, level


def microsecondsALaunch(row):
    ours = row["results"].get(OURS, {})
    return ours["seconds"] * 1e6 / ours["work"] if "seconds" in ours else None


def meanLines(rows):
    pocl, openMp = means(rows)
    lines = [f"geometric mean against {words}: {mean:.2f}"
             for words, mean in (("POCL", pocl), ("the better OpenMP build", openMp)) if mean]
    for label in columns:
        if label not in NAMES:
            mean = geometricMean([row["ratios"][label] for row in rows if row["ratios"].get(label)])
            lines += [f"geometric mean against {label}: {mean:.3f}"] if mean else []
    return lines


def summary(run):
    rows = [row for row in run["rows"] if isKernel(row)]
    slower, level = slowerThanAPeer(rows)
    lines = meanLines(rows) + [f"slower than a peer, {len(slower)} of {len(rows)}: {', '.join(slower) or 'none'}"]
    lines += [f"level with a peer, rounds go both ways: {', '.join(level)}"] if level else []
    lines += [f"{row['name']}: {microsecondsALaunch(row):.2f} us a launch"
              for row in run["rows"] if not isKernel(row) and microsecondsALaunch(row)]
    start = run.get("start")
    if start and start["cold"]:
        lines.append(f"heddle run, vector addition: cold {start['cold']:.3f} s, warm {start['warm']:.3f} s")
    elif start:
        lines.append("heddle run, vector addition: failed")
    lines.append(f"other programs took {100 * run['others']:.0f} % of the processors meanwhile"
                 + ("; do not trust this table" if run["others"] > 0.1 and run["clock"] == "wall" else ""))
    return "\n".join(lines)


def tableMarkdown(run):
    """Of a run that is held to another processor only the means: the picture beside them shows each kernel."""
    table = [titles(), ["---"] + ["--:"] * (len(titles()) - 1)] + [cells(row) for row in run["rows"]]
    rows = "\n".join("| " + " | ".join(texts) + " |" for texts in table) + "\n\n" if not run["cpu"] else ""
    points = "\n".join("- " + text for text in summary(run).split("\n"))
    return f"{limitsText(run)}. {clockText(run)}\n\n{rows}{points}\n"


def replaced(text, mark, content):
    """`text` with what lies between <!-- MARK:begin --> and <!-- MARK:end --> replaced."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n{content}{end}{rest.split(end)[1]}"


def record(texts, pictures, docs):
    """Puts `texts`, by mark, into docs/performance.md, and the plots beside it."""
    path = os.path.join(docs, "performance.md")
    with open(path) as file:
        text = file.read()
    for mark, content in texts.items():
        text = replaced(text, mark, content)
    with open(path, "w") as file:
        file.write(text)
    for name, picture in pictures.items():
        with open(os.path.join(docs, name + ".svg"), "w") as file:
            file.write(picture)
