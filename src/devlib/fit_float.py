#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes float_coefficients.h: the polynomials of float_exp.cpp and its like.

Each is the minimax polynomial of a function by Remez' exchange, for a weighted error that is the relative error of
the result. Needs mpmath:
    python3 src/devlib/fit_float.py > src/devlib/float_coefficients.h
"""
import struct

from mpmath import mp, mpf, matrix, lu_solve, cos, sin, pi, exp, log, tan, atan, asin, sqrt, sinh, cosh, tanh, erf, erfc, nstr

mp.dps = 40


def remez(f, low, high, degree, weight):
    """The coefficients, and the greatest of |error| * weight."""
    low, high, n = mpf(low), mpf(high), degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    grid = [low + (high - low) * (1 - cos(pi * mpf(i) / 400)) / 2 for i in range(401)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    for _ in range(12):
        system, right = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                system[i, j] = x**j
            system[i, degree + 1], right[i] = (-1)**i / weight(x), f(x)
        solution = lu_solve(system, right)
        c = [solution[j] for j in range(degree + 1)]
        errors = [(sum(a * x**j for j, a in enumerate(c)) - v) * w for x, v, w in zip(grid, values, weights)]
        peaks = []
        for i, e in enumerate(errors):
            if not peaks or (e > 0) != (errors[peaks[-1]] > 0):
                peaks.append(i)
            elif abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        if len(peaks) < n:
            break
        while len(peaks) > n:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        points = [grid[i] for i in peaks]
    return c, max(abs(e) for e in errors)


def rounded(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def emit(name, note, f, low, high, degree, weight=lambda x: 1):
    """The first coefficients are rounded one by one, and the others fitted to what that changes."""
    c, error = remez(f, low, high, degree, weight)
    grid = [(mpf(low) + high) / 2 + (mpf(high) - low) / 2 * cos(pi * (2 * i + 1) / 120) for i in range(60)]
    for fixed in range(1, min(degree, 4)):
        c[fixed - 1] = rounded(c[fixed - 1])
        # Least squares in the nodes: the residue of the fixed ones in terms of the others.
        rest = [weight(x) * (f(x) - sum(a * x**j for j, a in enumerate(c[:fixed]))) for x in grid]
        basis = matrix(len(grid), degree + 1 - fixed)
        for i, x in enumerate(grid):
            for j in range(degree + 1 - fixed):
                basis[i, j] = weight(x) * x**(j + fixed)
        c[fixed:] = list(lu_solve(basis, matrix(rest)))
    error = max(abs(sum(rounded(a) * x**j for j, a in enumerate(c)) - f(x)) * weight(x) for x in grid)
    print("/// %s. Error 2^%s." % (note, nstr(log(error, 2), 3)))
    print("inline constexpr float %s[] = {" % name)
    for a in c:
        print("    %sf," % nstr(a, 9, strip_zeros=False))
    print("};")


def emit_rational(name, note, f, low, high, top, bottom):
    """P and Q, Q[0] = 1, in x^2, with the least greatest relative error of P / Q: least squares, each point weighted by
    the errors that it had before (Lawson)."""
    grid = [low + (high - low) * (1 - float(cos(pi * i / 200))) / 2 for i in range(201)]
    values, weights, below = [float(f(x)) for x in grid], [1.0] * 201, [1.0] * 201
    n, best = top + 1 + bottom, (1, [])

    def ratio(c, x):
        q = 1 + sum(a * x**(2 * j + 2) for j, a in enumerate(c[top + 1:]))
        return sum(a * x**(2 * j) for j, a in enumerate(c[:top + 1])) / q, q

    for _ in range(150):
        rows = [[x**(2 * j) / v / q for j in range(top + 1)] + [-x**(2 * j) / q for j in range(1, bottom + 1)]
                for x, v, q in zip(grid, values, below)]
        normal = [[sum(w * r[i] * r[j] for r, w in zip(rows, weights)) for j in range(n)] for i in range(n)]
        right = [sum(w * r[i] / q for r, w, q in zip(rows, weights, below)) for i in range(n)]
        c = [float(a) for a in lu_solve(matrix(normal), matrix(right))]
        below = [ratio(c, x)[1] for x in grid]
        errors = [abs(ratio(c, x)[0] / v - 1) for x, v in zip(grid, values)]
        best = min(best, (max(errors), c))
        weights = [w * (e / max(errors) + 0.02) for w, e in zip(weights, errors)]
        weights = [w / sum(weights) for w in weights]
    print("/// %s. Error 2^%s." % (note, nstr(log(best[0], 2), 3)))
    for part, c in (("Above", best[1][:top + 1]), ("Below", [1.0] + best[1][top + 1:])):
        print("inline constexpr float %s%s[] = {" % (name, part))
        for a in c:
            print("    %sf," % nstr(mpf(a), 9, strip_zeros=False))
        print("};")


def near(f, limit):
    """f, and its limit where the formula loses its digits."""
    return lambda x: f(x) if abs(x) > mpf(10)**-9 else limit


def least(weight):
    """A weight that does not vanish."""
    return lambda x: max(weight(x), mpf(10)**-10)


print("// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("//")
print("// Written by fit_float.py. Powers of the argument, lowest first; the errors are relative to the result.")
print("#pragma once")
print()
print("namespace heddle::devlib {")
print()
half = log(2) / 2
emit("ExpTail", "(exp(r) - 1 - r) / r^2, |r| <= log(2) / 2", near(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2), -half, half,
     4, least(lambda r: r * r / exp(r)))
emit("FastExpTail", "(exp(r) - 1) / r, |r| <= log(2) / 2", near(lambda r: (exp(r) - 1) / r, mpf(1)), -half, half, 4,
     least(lambda r: abs(r) / exp(r)))
emit("Exp2Tail", "(2^f - 1) / f, |f| <= 1/2", near(lambda f: (mpf(2)**f - 1) / f, log(2)), -0.5, 0.5, 5,
     least(lambda f: abs(f) / mpf(2)**f))
emit("FastExp2Tail", "(2^f - 1) / f, |f| <= 1/2", near(lambda f: (mpf(2)**f - 1) / f, log(2)), -0.5, 0.5, 4,
     least(lambda f: abs(f) / mpf(2)**f))
third = log(2, 10) / 2
emit("Exp10Tail", "(10^r - 1) / r, |r| <= log10(2) / 2", near(lambda r: (mpf(10)**r - 1) / r, log(10)), -third, third, 5,
     least(lambda r: abs(r) / mpf(10)**r))
emit("LogTail", "(log(1 + f) - f) / f^2, f in [-1/4, 1/2]", near(lambda f: (log(1 + f) - f) / f**2, -mpf(1) / 2), -0.25,
     0.5, 8, least(lambda f: abs(f)))
emit("Log2Tail", "(log2(1 + f) / f - log2(e)) / f, f in [-1/4, 1/2]",
     near(lambda f: (log(1 + f, 2) / f - 1 / log(2)) / f, -1 / (2 * log(2))), -0.25, 0.5, 8, least(lambda f: abs(f)))
emit("FastLog2Tail", "log2(1 + f) / f, f in [-1/4, 1/2]", near(lambda f: log(1 + f, 2) / f, 1 / log(2)), -0.25, 0.5, 7,
     least(lambda f: abs(f)))
emit("PowerTail", "(log2((1 + s) / (1 - s)) - 2 log2(e) s) / s^3, in s^2, |s| <= 0.1716",
     lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z)), 2) - 2 / log(2) * sqrt(z)) / sqrt(z)**3, 1e-8, 0.02945, 3, lambda z: z / 2.885)
quarter = log(2) / 4
emit("TanhTail", "((exp(2 r) - 1) / 2 - r) / r^2, |r| <= log(2) / 4", near(lambda r: ((exp(2 * r) - 1) / 2 - r) / r**2, mpf(1)),
     -quarter, quarter, 4, least(lambda r: 2 * r * r / exp(2 * r)))
emit("Expm1Tail", "(exp(r) - 1 - r) / r^2, r in [log(3/4), 0.7]", near(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2),
     log(mpf(3) / 4), 0.7, 5, least(lambda r: r * r / (abs(exp(r) - 1) if r < 0.406 else exp(r)) if r else 0))
emit("SinhTail", "(sinh(r) / r - 1) / r^2, in r^2, |r| <= log(2) / 2", lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, 1e-8,
     half**2, 1, lambda z: z)
emit("CoshTail", "2 (cosh(r) - 1) / r^2, in r^2, |r| <= log(2) / 2", lambda z: 2 * (cosh(sqrt(z)) - 1) / z, 1e-8, half**2,
     2, lambda z: z / 2)


def power(a):
    return -log(erfc(a))


emit("ErfPower", "-log(1 - erf(a)) / a - 1.12837923, a in [0, 3.95]",
     lambda a: (power(a) / a if a > 1e-9 else 2 / sqrt(pi)) - rounded(1.12837923), 0, 3.95, 8,
     lambda a: power(a) * erfc(a) / erf(a) if a > 1e-9 else mpf(1))
emit("ErfTail", "(1 - exp(-r) - r) / r^2, |r| <= log(2) / 2", near(lambda r: (1 - exp(-r) - r) / r**2, -mpf(1) / 2), -half,
     half, 4, least(lambda r: r * r * exp(r)))
emit("AtanTail", "(atan(t) / t - 1) / t^2, in t^2, t in [0, 1]", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, 1e-8, 1, 7,
     lambda z: z * sqrt(z) / atan(sqrt(z)))
emit("AsinTail", "(asin(t) / t - 1) / t^2, in t^2, t in [0, 1/2]", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, 1e-8, 0.25, 4,
     lambda z: z * sqrt(z) / asin(sqrt(z)))
emit_rational("FastTanh", "tanh(x) / x, in x^2, |x| <= 5.4, where it is 1 / x", lambda x: tanh(x) / x, 1e-3, 5.4, 2, 2)
print()
print("} // namespace heddle::devlib")
