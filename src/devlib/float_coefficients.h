// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by fit_float.py. Powers of the argument, lowest first; the errors are relative to the
// result.
#pragma once

namespace heddle::devlib {

/// (exp(r) - 1 - r) / r^2, |r| <= log(2) / 2. Error 2^-28.2.
inline constexpr float ExpTail[] = {
    0.499999940f, 0.166665182f, 0.0416682437f, 0.00836894464f, 0.00138227611f,
};
/// (exp(r) - 1) / r, |r| <= log(2) / 2. Error 2^-23.3.
inline constexpr float FastExpTail[] = {
    0.999999702f, 0.499991417f, 0.166676685f, 0.0418986664f, 0.00828775382f,
};
/// (2^f - 1) / f, |f| <= 1/2. Error 2^-28.1.
inline constexpr float Exp2Tail[] = {
    0.693147182f, 0.240226448f, 0.0555035919f, 0.00961884076f, 0.00133911366f, 0.000152381542f,
};
/// (2^f - 1) / f, |f| <= 1/2. Error 2^-23.3.
inline constexpr float FastExp2Tail[] = {
    0.693147004f, 0.240222380f, 0.0555070639f, 0.00967169935f, 0.00132715443f,
};
/// (10^r - 1) / r, |r| <= log10(2) / 2. Error 2^-28.3.
inline constexpr float Exp10Tail[] = {
    2.30258512f, 2.65094852f, 2.03465581f, 1.17132369f, 0.541837086f, 0.205354421f,
};
/// (log(1 + f) - f) / f^2, f in [-1/4, 1/2]. Error 2^-27.6.
inline constexpr float LogTail[] = {
    -0.500000000f, 0.333334565f,  -0.250001252f, 0.199906127f,   -0.166460000f,
    0.144789857f,  -0.131741513f, 0.104879008f,  -0.0452224400f,
};
/// (log2(1 + f) / f - log2(e)) / f, f in [-1/4, 1/2]. Error 2^-27.0.
inline constexpr float Log2Tail[] = {
    -0.721347511f, 0.480900139f,  -0.360676318f, 0.288403905f,   -0.240133496f,
    0.208855019f,  -0.190174032f, 0.151687399f,  -0.0655415776f,
};
/// log2(1 + f) / f, f in [-1/4, 1/2]. Error 2^-24.2.
inline constexpr float FastLog2Tail[] = {
    1.44269586f,  -0.721350908f, 0.480800629f, -0.360313356f,
    0.290953028f, -0.251518979f, 0.199341260f, -0.0890586661f,
};
/// (log2((1 + s) / (1 - s)) - 2 log2(e) s) / s^3, in s^2, |s| <= 0.1716. Error 2^-36.2.
inline constexpr float PowerTail[] = {
    0.961796701f,
    0.577079058f,
    0.411906537f,
    0.336925491f,
};
/// ((exp(2 r) - 1) / 2 - r) / r^2, |r| <= log(2) / 4. Error 2^-28.2.
inline constexpr float TanhTail[] = {
    0.999999881f, 0.666660726f, 0.333345950f, 0.133903114f, 0.0442328354f,
};
/// (exp(r) - 1 - r) / r^2, r in [log(3/4), 0.7]. Error 2^-28.5.
inline constexpr float Expm1Tail[] = {
    0.499999970f, 0.166666776f, 0.0416679718f, 0.00832934862f, 0.00137949389f, 0.000234641021f,
};
/// (sinh(r) / r - 1) / r^2, in r^2, |r| <= log(2) / 2. Error 2^-26.1.
inline constexpr float SinhTail[] = {
    0.166665430f,
    0.00836657885f,
};
/// 2 (cosh(r) - 1) / r^2, in r^2, |r| <= log(2) / 2. Error 2^-33.2.
inline constexpr float CoshTail[] = {
    1.00000000f,
    0.0833329107f,
    0.00278715559f,
};
/// -log(1 - erf(a)) / a - 1.12837923, a in [0, 3.95]. Error 2^-26.6.
inline constexpr float ErfPower[] = {
    -4.92848748e-8f, 0.636619091f,     0.102781162f,    -0.0191673351f,  -0.000131278301f,
    0.00163576621f,  -0.000614800763f, 0.000112377650f, -8.64919601e-6f,
};
/// (1 - exp(-r) - r) / r^2, |r| <= log(2) / 2. Error 2^-28.2.
inline constexpr float ErfTail[] = {
    -0.499999940f, 0.166665182f, -0.0416682437f, 0.00836894464f, -0.00138227611f,
};
/// (atan(t) / t - 1) / t^2, in t^2, t in [0, 1]. Error 2^-25.7.
inline constexpr float AtanTail[] = {
    -0.333331525f,  0.199936613f,  -0.142096192f,  0.106589660f,
    -0.0753513941f, 0.0429924261f, -0.0162247168f, 0.00288330279f,
};
/// (asin(t) / t - 1) / t^2, in t^2, t in [0, 1/2]. Error 2^-27.6.
inline constexpr float AsinTail[] = {
    0.166667521f, 0.0749533400f, 0.0454645492f, 0.0242115988f, 0.0421087124f,
};
/// tanh(x) / x, in x^2, |x| <= 5.4, where it is 1 / x. Error 2^-13.6.
inline constexpr float FastTanhAbove[] = {
    0.999920889f,
    0.101162145f,
    0.000632994601f,
};
inline constexpr float FastTanhBelow[] = {
    1.00000000f,
    0.434038047f,
    0.0124402081f,
};

} // namespace heddle::devlib
