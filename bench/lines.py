# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Curves in SVG on two logarithmic axes, each with its name at its end."""
import math

from plot import text

COLORS = ["#4f81bd", "#c0504d", "#7f9b3b", "#8064a2", "#d08020", "#2c9ca6", "#666666", "#b03060", "#305090", "#a08000"]
LEFT, TOP, WIDTH, HEIGHT, RIGHT, BOTTOM = 70, 30, 560, 320, 190, 50


def ticks(low, high):
    """1, 2, 5, 10, ... that cover low to high; powers of ten only where the range is wide."""
    steps = (1, 2, 5) if high / low < 1e3 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    below = [value for value in values if value <= low]
    above = [value for value in values if value >= high]
    return [value for value in values if below[-1] <= value <= above[0]]


def label(value):
    return f"{value:g}" if value < 1e4 else f"10^{math.log10(value):.0f}"


class Axis:
    """Maps values to pixels from `begin` to `end`."""

    def __init__(self, values, begin, end):
        self.ticks = ticks(min(values), max(values))
        self.begin, self.end = begin, end

    def at(self, value):
        low, high = math.log(self.ticks[0]), math.log(self.ticks[-1])
        return self.begin + (math.log(value) - low) / (high - low or 1) * (self.end - self.begin)


def frame(x, y, xName, yName):
    parts = []
    for tick in x.ticks:
        at = x.at(tick)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{TOP + HEIGHT}" stroke="#ddd"/>')
        parts.append(text(at, TOP + HEIGHT + 16, label(tick), "middle"))
    for tick in y.ticks:
        at = y.at(tick)
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{LEFT + WIDTH}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, at + 4, label(tick), "end"))
    parts.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, xName, "middle", 12))
    parts.append(text(LEFT, TOP - 12, yName, "start", 12))
    return parts


def names(ends):
    """The curves' names beside their ends, moved apart where they would overlap."""
    parts, last = [], -100.0
    for at, name, color in sorted(ends):
        last = max(at, last + 13)
        parts.append(f'<text x="{LEFT + WIDTH + 8}" y="{last + 4:.1f}" font-size="11" fill="{color}">{name}</text>')
    return parts


def svg(curves, xName, yName):
    """`curves`: {name: [(x, y), ...]}, all positive."""
    x = Axis([point[0] for curve in curves.values() for point in curve], LEFT, LEFT + WIDTH)
    y = Axis([point[1] for curve in curves.values() for point in curve], TOP + HEIGHT, TOP)
    parts, ends = frame(x, y, xName, yName), []
    for index, (name, curve) in enumerate(curves.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in sorted(curve))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.8"/>')
        ends.append((y.at(max(curve)[1]), name, color))
    body = "\n".join(parts + names(ends))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{TOP + HEIGHT + BOTTOM}" '
            f'font-family="sans-serif">\n<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')
