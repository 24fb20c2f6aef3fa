// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that say where they were thrown, of the samples' headers (helper_string.h).
#pragma once

#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>

template <class Base> class Exception : public Base {
public:
  static void throw_it(const char *file, const int line, const char *what = "-") {
    std::ostringstream text;
    text << "Exception in file '" << file << "' in line " << line << "\nDetailed description: " << what << "\n";
    throw Exception(text.str());
  }
  static void throw_it(const char *file, const int line, const std::string &what) { throw_it(file, line, what.c_str()); }
  virtual ~Exception() throw() {}

private:
  explicit Exception(const std::string &what) : Base(what) {}
};

template <class E> inline void handleException(const E &exception) {
  std::cerr << exception.what() << std::endl;
  exit(EXIT_FAILURE);
}

#define RUNTIME_EXCEPTION(msg) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, msg)
#define LOGIC_EXCEPTION(msg) Exception<std::logic_error>::throw_it(__FILE__, __LINE__, msg)
#define RANGE_EXCEPTION(msg) Exception<std::range_error>::throw_it(__FILE__, __LINE__, msg)
