// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device procedures need beside their own statements, put behind their USE and IMPLICIT
// statements:
//
//   !dir$ ignore_tkr (d) a, (d) b     for dummies of procedures that a generic name or an operator stands for
//     In device code Flang 22 takes any expression for a dummy with the attribute device, which
//     dummies there have, if the procedure is called by its own name; by a generic name or an
//     operator it takes variables alone.
//
//   use cudafor, heddle_host_sum => sum
//   intrinsic :: sum                  for names that cudafor gives functions of the host too (reductions.inc)
//     Flang prefers those to the intrinsic functions and then refuses them in device code.
#include "tool/fortran/statements.h"

#include <algorithm>
#include <array>
#include <set>

namespace heddle::tool {

namespace {

/// Generic names of cudafor that are intrinsic functions.
constexpr std::array<std::string_view, 5> Reductions = {"maxloc", "maxval", "minloc", "minval",
                                                        "sum"};

bool isReduction(const std::string &word) {
  return std::find(Reductions.begin(), Reductions.end(), word) != Reductions.end();
}

bool endsInterface(const Statement &s) {
  return s[0].text == "endinterface" ||
         (s[0].text == "end" && s.size() > 1 && s[1].text == "interface");
}

/// Names of procedures that generic names stand for, and the generic names.
struct Generics {
  std::set<std::string> specifics, names;
};

Generics findGenerics(const std::vector<Statement> &statements) {
  Generics generics;
  bool inside = false;
  for (const Statement &s : statements) {
    if (s[0].text == "interface") {
      inside = true;
      if (s.size() > 1)
        generics.names.insert(s[1].text);
    } else if (endsInterface(s)) {
      inside = false;
    } else if (inside && (s[0].text == "procedure" ||
                          (s[0].text == "module" && s.size() > 1 && s[1].text == "procedure"))) {
      for (const Token &token : s)
        generics.specifics.insert(token.text);
    }
  }
  return generics;
}

class DeviceProcedures {
public:
  explicit DeviceProcedures(Source &source)
      : source_(source), generics_(findGenerics(source.statements)) {}

  void rewrite() {
    for (const Statement &s : source_.statements) {
      if (size_t at = beginOfProcedure(s); at < s.size())
        begin(s, at);
      else if (endsProcedure(s))
        end();
      else if (!procedures_.empty() && procedures_.back().isDevice)
        follow(procedures_.back(), s);
    }
  }

private:
  struct Procedure {
    bool isDevice = false, hasGenericName = false;
    size_t place = 0; ///< the end of what the additions stand behind
    size_t cudafor =
        0; ///< the end of a statement that makes all names of cudafor known, if there is one
    std::set<std::string> only; ///< what statements make known by name
    std::vector<std::string> dummies;
    std::set<std::string> reductions;
  };

  void begin(const Statement &s, size_t at) {
    Procedure procedure;
    procedure.isDevice = isDeviceCode(s, at);
    procedure.hasGenericName = generics_.specifics.contains(s[at + 1].text);
    procedure.place = s.back().end;
    for (size_t i = at + 3; i < s.size() && s[at + 2].text == "(" && s[i].text != ")"; ++i)
      if (s[i].text != ",")
        procedure.dummies.push_back(s[i].text);
    procedures_.push_back(std::move(procedure));
  }

  void follow(Procedure &procedure, const Statement &s) {
    const std::string &word = s[0].text;
    if (word == "use" || word == "import" || word == "implicit") {
      procedure.place = s.back().end;
      if (word == "use")
        followUse(procedure, s);
      return;
    }
    for (size_t i = 0; i + 1 < s.size(); ++i)
      if (s[i + 1].text == "(" && isReduction(s[i].text) && !generics_.names.contains(s[i].text) &&
          (i == 0 || s[i - 1].text != "%"))
        procedure.reductions.insert(s[i].text);
    leaveOut(procedure, s);
  }

  static void followUse(Procedure &procedure, const Statement &s) {
    bool hasOnly = s.size() > 3 && s[3].text == "only";
    if (s.size() > 1 && s[1].text == "cudafor" && !hasOnly)
      procedure.cudafor = s.back().end;
    for (const Token &token : s)
      procedure.only.insert(token.text);
  }

  /// The directive is not for pointers, allocatable arrays, procedures and the two sides of VALUE.
  static void leaveOut(Procedure &procedure, const Statement &s) {
    bool isOther = std::any_of(s.begin(), s.end(), [](const Token &token) {
      return token.text == "allocatable" || token.text == "pointer" || token.text == "procedure" ||
             token.text == "external" || token.text == "value";
    });
    if (isOther)
      std::erase_if(procedure.dummies, [&](const std::string &dummy) {
        return std::any_of(s.begin(), s.end(),
                           [&](const Token &token) { return token.text == dummy; });
      });
  }

  void end() {
    if (procedures_.empty())
      return;
    const Procedure &procedure = procedures_.back();
    if (procedure.isDevice) {
      addIntrinsic(procedure);
      addDirectives(procedure);
    }
    procedures_.pop_back();
  }

  void addIntrinsic(const Procedure &procedure) {
    for (const std::string &name : procedure.reductions) {
      if (procedure.only.contains(name)) // the name cannot be both
        continue;
      if (procedure.cudafor != 0)
        source_.edits.push_back({procedure.cudafor, procedure.cudafor, rename(name)});
      addStatement(source_, procedure.place, "intrinsic :: " + name);
    }
  }

  /// In fixed form the addition is a line of its own.
  std::string rename(const std::string &name) const {
    std::string words = ", heddle_host_" + name + " => " + name;
    return source_.fixedLength == 0 ? words : "\n     &" + words;
  }

  void addDirectives(const Procedure &procedure) {
    if (!procedure.hasGenericName)
      return;
    size_t place = endOfLine(source_.text, procedure.place);
    for (const std::string &dummy : procedure.dummies)
      addLine(source_, place, "!dir$ ignore_tkr (d) " + dummy);
  }

  Source &source_;
  Generics generics_;
  std::vector<Procedure> procedures_;
};

} // namespace

void rewriteDeviceProcedures(Source &source) { DeviceProcedures(source).rewrite(); }

} // namespace heddle::tool
