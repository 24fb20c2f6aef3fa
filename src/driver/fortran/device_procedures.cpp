// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device procedures need beside their own statements, put behind their USE and IMPLICIT statements:
//
//   !dir$ ignore_tkr (d) a, (d) b     for dummies of procedures that a generic name or an operator stands for
//     In device code Flang 22 takes any expression for a dummy with the attribute device, which dummies there have, if the
//     procedure is called by its own name; by a generic name or an operator it takes variables alone.
//
//   intrinsic :: sum                  for names that cudafor gives functions of the host too (reductions.inc)
//     Flang prefers those to the intrinsic functions and then refuses them in device code.
#include "driver/fortran/statements.h"

#include <algorithm>
#include <array>
#include <set>

namespace heddle::driver {

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
  DeviceProcedures(std::string_view text, std::string_view path,
                   const std::vector<Statement> &statements, std::vector<Edit> &edits)
      : text_(text), path_(path), statements_(statements), edits_(edits),
        generics_(findGenerics(statements)) {}

  void rewrite() {
    for (const Statement &s : statements_) {
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
    bool isDevice = false, hasGenericName = false, usesCudafor = false;
    size_t place = 0; ///< the end of what the additions stand behind
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
      procedure.usesCudafor |= word == "use" && s.size() > 1 && s[1].text == "cudafor";
      return;
    }
    for (size_t i = 0; i + 1 < s.size(); ++i)
      if (s[i + 1].text == "(" && isReduction(s[i].text) && !generics_.names.contains(s[i].text) &&
          (i == 0 || s[i - 1].text != "%"))
        procedure.reductions.insert(s[i].text);
    leaveOut(procedure, s);
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
      addDirective(procedure);
    }
    procedures_.pop_back();
  }

  void addIntrinsic(const Procedure &procedure) {
    if (procedure.usesCudafor) // the name cannot be both
      return;
    std::string names;
    for (const std::string &name : procedure.reductions)
      names += (names.empty() ? "; intrinsic :: " : ", ") + name;
    if (!names.empty())
      edits_.push_back({procedure.place, procedure.place, names});
  }

  /// A directive has a line of its own; the next line keeps its number.
  void addDirective(const Procedure &procedure) {
    if (!procedure.hasGenericName || procedure.dummies.empty())
      return;
    size_t endOfLine = std::min(text_.find('\n', procedure.place), text_.size());
    auto lines = std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(endOfLine), '\n');
    std::string directive;
    for (const std::string &dummy : procedure.dummies)
      directive += (directive.empty() ? "\n!dir$ ignore_tkr (d) " : ", (d) ") + dummy;
    directive += "\n# " + std::to_string(lines + 2) + " \"" + std::string(path_) + "\"";
    edits_.push_back({endOfLine, endOfLine, directive});
  }

  std::string_view text_, path_;
  const std::vector<Statement> &statements_;
  std::vector<Edit> &edits_;
  Generics generics_;
  std::vector<Procedure> procedures_;
};

} // namespace

void rewriteDeviceProcedures(std::string_view text, std::string_view path,
                             const std::vector<Statement> &statements, std::vector<Edit> &edits) {
  DeviceProcedures(text, path, statements, edits).rewrite();
}

} // namespace heddle::driver
