#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes coefficients.h: the polynomials of special.cpp, bessel.cpp and fast.cpp.

Each is the Chebyshev interpolant of a smooth function on [-1, 1], turned into powers of w. Needs mpmath:
    python3 src/devlib/fit.py > src/devlib/coefficients.h
"""
from mpmath import mp, mpf, cos, pi, sqrt, exp, erfc, besselj, bessely, besseli, log, besseljzero, besselyzero
from mpmath import sin

mp.dps = 60


def fit(f, degree):
    """Powers-of-w coefficients of the interpolant in degree + 1 Chebyshev nodes."""
    n = degree + 1
    nodes = [cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f(w) for w in nodes]
    c = [2 / mpf(n) * sum(v * cos(pi * j * (k + mpf(1) / 2) / n) for k, v in enumerate(values)) for j in range(n)]
    c[0] /= 2
    powers, before, now = [mpf(0)] * n, [mpf(1)], [mpf(0), mpf(1)]
    for j in range(n):
        t = before if j == 0 else now
        if j > 1:
            t = [mpf(0)] * (j + 1)
            for i, a in enumerate(now):
                t[i + 1] += 2 * a
            for i, a in enumerate(before):
                t[i] -= a
            before, now = now, t
        for i, a in enumerate(t):
            powers[i] += c[j] * a
    return powers


def worst(f, p):
    """The greatest relative error on a grid."""
    w = [mpf(i) / 40 for i in range(-39, 41)]  # some maps have a pole at -1
    scale = max(abs(f(x)) for x in w)
    return max(abs(sum(a * x**i for i, a in enumerate(p)) - f(x)) for x in w) / scale


def emit(name, note, f, goal, kind="double", least=3):
    for degree in range(least, 50):
        p = fit(f, degree)
        if worst(f, p) < goal:
            break
    else:
        raise SystemExit(name + ": no degree is enough")
    print("/// %s" % note)
    digits = 17 if kind == "double" else 9
    suffix = "" if kind == "double" else "f"
    print("inline constexpr %s %s[] = {" % (kind, name))
    for a in p:
        print("    %s%s," % (mp.nstr(a, digits, strip_zeros=False), suffix))
    print("};")


def on(a, b):
    """w in [-1, 1] to x in [a, b]."""
    return lambda w: (mpf(a) + b) / 2 + w * (mpf(b) - a) / 2


def zero(name, z):
    high = float(z)
    print("inline constexpr double %sHigh = %s, %sLow = %s;" % (name, repr(high), name, repr(float(z - mpf(high)))))


def roots(name, f, z, a, b, note):
    x = on(a, b)
    emit(name, "%s / (x - z), z = %s, x in [%s, %s]" % (note, mp.nstr(z, 6), a, b), lambda w: f(x(w)) / (x(w) - z), mpf(10)**-18)


print("// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("//")
print("// Written by fit.py. Powers of w, lowest first; w runs over [-1, 1].")
print("#pragma once")
print()
print("namespace heddle::devlib {")
print()

tiny = mpf(10)**-18
emit("ErfcxTable", "erfcx(x) (1 + 2 x), w = (x - 4) / (x + 4), x >= 0",
     lambda w: 2 / sqrt(pi) if abs(1 - w) < mpf(10)**-40 else (lambda x: (exp(x * x) * erfc(x) if x < 1000 else 1 / (sqrt(pi) * x) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6) + 105 / (16 * x**8) - 945 / (32 * x**10))) * (1 + 2 * x))(4 * (1 + w) / (1 - w)), mpf(10)**-17)

j0, j1 = lambda x: besselj(0, x), lambda x: besselj(1, x)
y0, y1 = lambda x: bessely(0, x), lambda x: bessely(1, x)
J0, J1 = [besseljzero(0, i) for i in (1, 2)], [besseljzero(1, i) for i in (1, 2)]
Y0, Y1 = [besselyzero(0, i) for i in (1, 2, 3)], [besselyzero(1, i) for i in (1, 2)]
for name, list_ in (("J0Zero", J0), ("J1Zero", J1), ("Y0Zero", Y0), ("Y1Zero", Y1)):
    for i, z in enumerate(list_):
        zero(name + str(i + 1), z)

root = lambda hi: (lambda w: sqrt(mpf(hi)**2 * (w + 1) / 2 + mpf(10)**-30))  # w = 2 x^2 / hi^2 - 1
emit("J0Small", "J0(x), w = x^2 / 2 - 1, x in [0, 2]", lambda w: j0(root(2)(w)), tiny)
roots("J0First", j0, J0[0], 2, 4, "J0(x)")
roots("J0Second", j0, J0[1], 4, 8, "J0(x)")
emit("J1Small", "J1(x) / x, w = x^2 / 2 - 1, x in [0, 2]", lambda w: j1(root(2)(w)) / root(2)(w), tiny)
roots("J1First", j1, J1[0], 2, 5.5, "J1(x)")
roots("J1Second", j1, J1[1], 5.5, 8, "J1(x)")
g0 = lambda x: (y0(x) - 2 / pi * log(x / Y0[0]) * j0(x)) / ((x - Y0[0]) * (x + Y0[0]))
emit("Y0Small", "(Y0(x) - 2/pi log(x/z) J0(x)) / (x^2 - z^2), w = 2 x^2 / 2.25^2 - 1, x in [0, 2.25]",
     lambda w: g0(root(2.25)(w)), tiny)
roots("Y0Second", y0, Y0[1], 2.25, 5.5, "Y0(x)")
roots("Y0Third", y0, Y0[2], 5.5, 8, "Y0(x)")
g1 = lambda x: x * (y1(x) - 2 / pi * log(x / Y1[0]) * j1(x)) / ((x - Y1[0]) * (x + Y1[0]))
emit("Y1Small", "x (Y1(x) - 2/pi log(x/z) J1(x)) / (x^2 - z^2), w = 2 x^2 / 3.75^2 - 1, x in [0, 3.75]",
     lambda w: g1(root(3.75)(w)), tiny)
roots("Y1Second", y1, Y1[1], 3.75, 8, "Y1(x)")

# Amplitude and phase: J = sqrt(2/(pi x)) (P cos(u) - Q sin(u)), Y = sqrt(2/(pi x)) (P sin(u) + Q cos(u)).
far = lambda w: 8 / sqrt((w + 1) / 2)  # w = 128 / x^2 - 1
for n in (0, 1):
    u = lambda x: x - (2 * n + 1) * pi / 4
    P = lambda x: sqrt(pi * x / 2) * (besselj(n, x) * cos(u(x)) + bessely(n, x) * sin(u(x)))
    Q = lambda x: sqrt(pi * x / 2) * (bessely(n, x) * cos(u(x)) - besselj(n, x) * sin(u(x)))
    emit("P%dTable" % n, "P of order %d, w = 128 / x^2 - 1, x >= 8" % n, lambda w: P(far(w)), mpf(10)**-17)
    emit("Q%dTable" % n, "x Q of order %d, w = 128 / x^2 - 1, x >= 8" % n, lambda w: far(w) * Q(far(w)), mpf(10)**-17)

for n in (0, 1):
    print("/// I%d(x)%s in powers of x^2 / 4, 0 <= x <= 8" % (n, " / x" if n else ""))
    print("inline constexpr double I%dSmall[] = {" % n)
    for k in range(29):
        print("    %s," % mp.nstr((mpf(1) if n == 0 else mpf(1) / 2) / (mp.factorial(k) * mp.factorial(k + n)), 17))
    print("};")
    near = lambda w: 16 / (w + 1)  # w = 16 / x - 1
    emit("I%dFar" % n, "I%d(x) sqrt(x) exp(-x), w = 16 / x - 1, x >= 8" % n,
         lambda w: besseli(n, near(w)) * sqrt(near(w)) * exp(-near(w)) if near(w) < 3000 else
         1 / sqrt(2 * pi) * (1 - (4 * mpf(n)**2 - 1) / (8 * near(w)) + (4 * mpf(n)**2 - 1) * (4 * n**2 - 9) / (128 * near(w)**2)
                             - (4 * mpf(n)**2 - 1) * (4 * n**2 - 9) * (4 * n**2 - 25) / (3072 * near(w)**3)),
         mpf(10)**-17)

emit("SinTable", "sin(r) / r, w = 8 r^2 / pi^2 - 1, |r| <= pi / 2",
     lambda w: (lambda r: sin(r) / r)(pi / 2 * sqrt((w + 1) / 2 + mpf(10)**-30)), mpf(10)**-9, "float")
print()
print("} // namespace heddle::devlib")
