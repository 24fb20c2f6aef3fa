// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/page/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heddle::profile {

namespace {

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string attribute(const char *name, const std::string &value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string tipOf(const std::string &tip) { return "<title>" + escaped(tip) + "</title>"; }

} // namespace

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

std::string cut(const std::string &text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 1) + "…";
}

std::string shortNumber(double value) {
  char text[32];
  const double size = std::abs(value);
  std::snprintf(text, sizeof text, size >= 1000 && size < 1e6 ? "%.0f" : "%.3g", value);
  return text;
}

std::string Svg::x(double value) const { return coordinate(value) + unit_; }

void Svg::line(double x1, double y1, double x2, double y2, const char *cls) {
  body_ += "<line" + attribute("class", cls) + attribute("x1", x(x1)) +
           attribute("y1", coordinate(y1)) + attribute("x2", x(x2)) +
           attribute("y2", coordinate(y2)) + "/>\n";
}

void Svg::rect(double left, double y, double width, double height, const std::string &cls,
               const std::string &tip) {
  body_ += "<rect" + attribute("class", cls) + attribute("x", x(left)) +
           attribute("y", coordinate(y)) + attribute("width", x(std::max(width, 0.0))) +
           attribute("height", coordinate(std::max(height, 0.0)));
  body_ += tip.empty() ? "/>\n" : ">" + tipOf(tip) + "</rect>\n";
}

void Svg::circle(double cx, double cy, double radius, const std::string &cls,
                 const std::string &tip) {
  body_ += "<circle" + attribute("class", cls) + attribute("cx", x(cx)) +
           attribute("cy", coordinate(cy)) + attribute("r", coordinate(radius)) + ">" + tipOf(tip) +
           "</circle>\n";
}

void Svg::path(const std::vector<std::pair<double, double>> &points, const std::string &cls) {
  std::string way;
  for (auto [px, py] : points)
    way += (way.empty() ? "M" : "L") + coordinate(px) + " " + coordinate(py);
  body_ += "<path" + attribute("class", cls) + attribute("d", way) + "/>\n";
}

void Svg::text(double left, double y, const std::string &text, const char *cls,
               const char *anchor) {
  body_ += "<text" + attribute("x", x(left)) + attribute("y", coordinate(y)) +
           (*cls ? attribute("class", cls) : "") +
           (std::string(anchor) == "start" ? "" : attribute("text-anchor", anchor)) + ">" +
           escaped(text) + "</text>\n";
}

void Svg::upright(double left, double y, const std::string &text) {
  body_ += "<text text-anchor=\"middle\"" +
           attribute("transform",
                     "translate(" + coordinate(left) + " " + coordinate(y) + ") rotate(-90)") +
           ">" + escaped(text) + "</text>\n";
}

std::string Svg::element(const std::string &title) const {
  std::string size =
      *unit_
          ? attribute("width", "100%") + attribute("height", coordinate(height_))
          : attribute("viewBox", "0 0 " + coordinate(width_) + " " + coordinate(height_)) +
                attribute("width", coordinate(width_)) + attribute("height", coordinate(height_));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\"" + size +
         attribute("aria-label", escaped(title)) + ">\n<title>" + escaped(title) + "</title>\n" +
         body_ + "</svg>\n";
}

double Axis::at(double value) const {
  if (isLog)
    return from + (to - from) * std::log(std::max(value, least) / least) / std::log(most / least);
  return from + (to - from) * (value - least) / (most - least);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> list;
  if (isLog) {
    for (double tick = std::pow(10, std::ceil(std::log10(least) - 1e-9)); tick <= most * 1.0001;
         tick *= 10)
      list.push_back(tick);
    return list;
  }
  // Five to ten steps of 1, 2 or 5 times a power of ten; of powers of two where the end is one.
  double step = std::pow(10, std::floor(std::log10((most - least) / 5)));
  for (double factor : {2.0, 2.5, 2.0})
    if ((most - least) / step > 10)
      step *= factor;
  const bool isBinary = most >= 64 && std::fmod(most, 64) == 0;
  if (isBinary)
    step = most / 8;
  for (double tick = least; tick <= most * 1.0001; tick += step)
    list.push_back(tick);
  return list;
}

void drawAxes(Svg &svg, const Axis &x, const std::string &xName, const Axis &y,
              const std::string &yName) {
  for (double tick : x.ticks()) {
    svg.line(x.at(tick), y.from, x.at(tick), y.to, "grid");
    svg.text(x.at(tick), y.from + 16, shortNumber(tick), "small", "middle");
  }
  for (double tick : y.ticks()) {
    svg.line(x.from, y.at(tick), x.to, y.at(tick), "grid");
    svg.text(x.from - 6, y.at(tick) + 4, shortNumber(tick), "small", "end");
  }
  svg.line(x.from, y.from, x.to, y.from, "axis");
  svg.line(x.from, y.from, x.from, y.to, "axis");
  svg.text((x.from + x.to) / 2, y.from + 34, xName, "", "middle");
  svg.upright(14, (y.from + y.to) / 2, yName);
}

} // namespace heddle::profile
