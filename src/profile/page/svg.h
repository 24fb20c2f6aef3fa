// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drawings. Their colours and fonts are those of picture.css, by classes, so that they follow the reader's
// light or dark.
#pragma once

#include <string>
#include <vector>

namespace heddle::profile {

/// A drawing of the report.
struct Picture {
  std::string name;  ///< of a file: "roofline-k20"
  std::string title; ///< for people, and for those who do not see it
  std::string svg;   ///< the element
};

/// Of text in elements and attributes.
std::string escaped(const std::string &);
/// With "…" in place of what is too much.
std::string cut(const std::string &text, size_t most);
/// Three digits, without an exponent where that is short.
std::string shortNumber(double);

class Svg {
public:
  /// In user units, which are pixels at first.
  Svg(double width, double height) : width_(width), height_(height) {}
  void line(double x1, double y1, double x2, double y2, const char *cls);
  /// With a tip that appears under the pointer.
  void rect(double x, double y, double width, double height, const std::string &cls,
            const std::string &tip = "");
  void circle(double x, double y, double radius, const std::string &cls, const std::string &tip);
  void path(const std::vector<std::pair<double, double>> &points, const std::string &cls);
  /// `anchor`: start, middle, end.
  void text(double x, double y, const std::string &text, const char *cls = "",
            const char *anchor = "start");
  /// As text(), turned to be read from below.
  void upright(double x, double y, const std::string &text);
  void setHeight(double height) { height_ = height; }
  /// Coordinates along x in percent from here on: drawings that may be made wider.
  void inPercent() { unit_ = "%"; }
  std::string element(const std::string &title) const;

private:
  std::string x(double) const;
  double width_, height_;
  const char *unit_ = "";
  std::string body_;
};

/// From values to places in a drawing.
struct Axis {
  double least, most; ///< of values
  double from, to;    ///< places
  bool isLog = false;
  double at(double value) const;
  std::vector<double> ticks() const;
};
/// Grid, numbers and names of both axes.
void drawAxes(Svg &, const Axis &x, const std::string &xName, const Axis &y,
              const std::string &yName);

} // namespace heddle::profile
