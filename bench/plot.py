# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ratios as a bar chart in SVG: a group a kernel, a bar a peer, a logarithmic axis with the line at 1."""
import math

COLORS = {"opencl": "#c0504d", "openmp-clang": "#4f81bd", "openmp-gxx": "#9bbb59"}
NAMES = {"opencl": "POCL", "openmp-clang": "OpenMP, clang", "openmp-gxx": "OpenMP, g++"}
LEFT, WIDTH, BAR, GAP, TOP = 150, 640, 8, 8, 56
TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]


def position(ratio):
    low, high = math.log(TICKS[0]), math.log(TICKS[-1])
    share = (math.log(min(max(ratio, TICKS[0]), TICKS[-1])) - low) / (high - low)
    return LEFT + share * WIDTH


def text(x, y, words, anchor="start", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def axis(bottom):
    parts = []
    for tick in TICKS:
        x = position(tick)
        color, width = ("#000", 1.5) if tick == 1 else ("#ccc", 0.7)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{color}" stroke-width="{width}"/>')
        parts.append(text(x, TOP - 10, f"{tick:g}", "middle"))
    return parts


def group(row, top):
    parts = [text(LEFT - 8, top + 1.5 * BAR + 4, row["name"], "end")]
    for index, (label, color) in enumerate(COLORS.items()):
        ratio = row["ratios"].get(label)
        if not ratio:
            continue
        begin, end = sorted((position(1), position(ratio)))
        y = top + index * BAR
        parts.append(f'<rect x="{begin:.1f}" y="{y}" width="{max(end - begin, 1):.1f}" height="{BAR - 1}" fill="{color}">'
                     f"<title>{row['name']}: {ratio:.2f} x {NAMES[label]}</title></rect>")
    return parts


def legend():
    parts, x = [text(LEFT, 16, "times faster than", "start", 12)], LEFT + 110
    for label, color in COLORS.items():
        parts.append(f'<rect x="{x}" y="8" width="10" height="10" fill="{color}"/>')
        parts.append(text(x + 14, 17, NAMES[label]))
        x += 120
    return parts


def svg(run):
    step = len(COLORS) * BAR + GAP
    height = TOP + step * len(run["rows"]) + 10
    parts = legend() + axis(height - 10)
    for index, row in enumerate(run["rows"]):
        parts += group(row, TOP + index * step)
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" font-family="sans-serif">\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')
