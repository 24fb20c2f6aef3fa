// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is directives with blocks between them: bodies of functions and debug sections. A scan for
// braces finds the blocks; only what stands between them becomes tokens, so the megabytes of code that
// a module may hold cost one look at each byte.
#include "frontend/ptx/module/module_text.h"

#include "frontend/ptx/features.h"
#include "frontend/ptx/module/find_byte.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr unsigned NewestVersion = 91;

/// Places outside of comments and strings.
class Scanner {
public:
  explicit Scanner(StringRef text) : text_(text) {}

  size_t at() const { return at_; }
  bool isAtEnd() const { return at_ >= text_.size(); }

  /// Goes behind the next brace that begins no initial value; false: there is none. `brace` is its
  /// place.
  bool findBlock(size_t &brace) {
    while (skipTo('{', '=')) {
      brace = at_++;
      if (text_[brace] == '{')
        return true;
      size_t end;
      if (nextIs('{') && !findEnd(end))
        return false;
    }
    brace = text_.size();
    return false;
  }

  /// Behind an opening brace: goes behind the one that closes it.
  bool findEnd(size_t &end) {
    for (unsigned depth = 1; skipTo('{', '}');) {
      depth += text_[at_] == '{' ? 1 : -1;
      end = at_++;
      if (depth == 0)
        return true;
    }
    return false;
  }

private:
  bool skipTo(char one, char other) {
    auto isMeant = [=](auto c, auto next) {
      return (c == one) | (c == other) | (c == '"') | ((c == '@') & (next == '@')) |
             ((c == '/') & ((next == '/') | (next == '*')));
    };
    while ((at_ = findByte(text_, at_, isMeant)) < text_.size()) {
      const char c = text_[at_];
      if (c == '"')
        skipString();
      else if (c == one || c == other)
        return true;
      else
        skipComment();
      ++at_;
    }
    return false;
  }
  /// Leaves the place at the comment's last character.
  bool skipComment() {
    StringRef rest = text_.drop_front(at_);
    if (rest.starts_with("//") || rest.starts_with("@@")) { // @@DWARF
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (!rest.starts_with("/*"))
      return false;
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == StringRef::npos ? text_.size() : end + 1;
    return true;
  }
  void skipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      at_ += text_[at_] == '\\';
  }
  /// Goes behind `c` if that is what follows.
  bool nextIs(char c) {
    while (at_ < text_.size() && (isSpace(text_[at_]) || (text_[at_] == '/' && skipComment())))
      ++at_;
    return at_ < text_.size() && text_[at_] == c && ++at_;
  }

  StringRef text_;
  size_t at_ = 0;
};

/// Reads the directives of one piece, and at its end the head of what the block behind it is.
class Directives {
public:
  Directives(ModuleText &module, Cursor cursor, bool hasBlock)
      : module_(module), c_(cursor), hasBlock_(hasBlock) {}

  /// Whether the block behind is the names of functions that were inlined.
  bool isStrings() const { return isStrings_; }
  /// The function whose body the block behind is, or null.
  Expected<ModuleFunction *> run() {
    while (!c_.isAtEnd()) {
      if (c_.consume(';'))
        continue;
      Expected<ModuleFunction *> function = readDirective();
      if (!function)
        return function.takeError();
      if (c_.isAtEnd() && hasBlock_ && (*function || isSection_))
        return function;
    }
    if (hasBlock_)
      return failAt(nullptr, "Parsing error near '{': syntax error", true);
    return nullptr;
  }

private:
  Error syntaxError() const {
    return failAt(c_.isAtEnd() ? nullptr : c_.now().text.data(),
                  "Parsing error near '" + c_.now().text + "': syntax error", true);
  }

  /// Null: it is no function.
  Expected<ModuleFunction *> readDirective() {
    Linkage linkage = Linkage::Internal;
    SmallVector<StringRef, 4> parts;
    StringRef name = c_.now().text;
    c_.setSubject(name);
    if (c_.now().kind != Token::Name || !name.starts_with("."))
      return syntaxError();
    if (!module_.version && name != ".version")
      return failAt(name.data(),
                    "Missing .version directive at start of file 'application ptx input'", true);
    while (takeLinkage(linkage))
      ;
    name = c_.now().text;
    if (name == ".entry" || name == ".func")
      return readFunction(linkage);
    if (beginsVariable(c_.now()))
      return readModuleVariables(linkage);
    if (Error error = readOther(name))
      return std::move(error);
    return nullptr;
  }

  bool takeLinkage(Linkage &linkage) {
    for (auto [word, meant] : {std::pair(".visible", Linkage::Visible),
                               {".extern", Linkage::Extern},
                               {".weak", Linkage::Weak},
                               {".common", Linkage::Common}})
      if (c_.consume(StringRef(word))) {
        if (linkage != Linkage::Extern)
          linkage = meant;
        return true;
      }
    return false;
  }

  Expected<ModuleFunction *> readModuleVariables(Linkage linkage) {
    std::vector<Variable> variables;
    if (Error error = readVariables(c_, variables))
      return std::move(error);
    for (Variable &variable : variables)
      module_.variables.push_back({std::move(variable), linkage});
    return nullptr;
  }

  Expected<ModuleFunction *> readFunction(Linkage linkage) {
    ModuleFunction &function = module_.functions.emplace_back();
    function.isEntry = c_.take().text == ".entry";
    function.linkage = linkage;
    if (c_.consume(".attribute"))
      while (!c_.isAtEnd() && !c_.take().is(')'))
        ;
    if (c_.now().is('('))
      if (Error error = readParameters(c_, function.signature.results))
        return std::move(error);
    if (c_.now().kind != Token::Name || c_.now().text.starts_with("."))
      return syntaxError();
    function.name = c_.take().text;
    if (c_.now().is('('))
      if (Error error = readParameters(c_, function.signature.params))
        return std::move(error);
    if (Error error = readFunctionDirectives(function))
      return std::move(error);
    return &function;
  }

  /// .maxntid 128, 1, 1 .minnctapersm 2 ... up to the body or a semicolon
  Error readFunctionDirectives(ModuleFunction &function) {
    while (!c_.isAtEnd() && !c_.now().is(';')) {
      StringRef name = c_.now().text;
      if (c_.now().kind != Token::Name)
        return syntaxError();
      c_.take();
      if (name == ".pragma") { // which has a semicolon of its own
        while (!c_.isAtEnd() && !c_.take().is(';'))
          ;
      } else if (isPassedOver(name)) {
        while (c_.now().kind == Token::Integer)
          c_.take();
      } else if (Error error = readFunctionDirective(function, name)) {
        return error;
      }
    }
    return checkDirectives(function);
  }

  /// What says nothing that matters here.
  static bool isPassedOver(StringRef name) {
    return is_contained({".maxnctapersm", ".abi_preserve", ".abi_preserve_control", ".unique"},
                        name);
  }

  Error readFunctionDirective(ModuleFunction &function, StringRef name) {
    const Dialect dialect = {module_.version < 14, module_.sm, module_.target, module_.version};
    if (std::string problem = problemOfFeature({}, name, dialect); !problem.empty())
      return failAt(name.data(), problem);
    const auto flag = StringSwitch<bool *>(name)
                          .Case(".noreturn", &function.signature.isNoReturn)
                          .Case(".explicitcluster", &function.isExplicitCluster)
                          .Case(".blocksareclusters", &function.countsClusters)
                          .Default(nullptr);
    const auto shape = StringSwitch<SmallVector<uint64_t, 3> *>(name)
                           .Case(".maxntid", &function.maxThreads)
                           .Case(".reqntid", &function.exactThreads)
                           .Case(".reqnctapercluster", &function.cluster)
                           .Default(nullptr);
    const auto number = StringSwitch<uint64_t *>(name)
                            .Case(".minnctapersm", &function.minBlocks)
                            .Case(".maxnreg", &function.maxRegisters)
                            .Case(".maxclusterrank", &function.maxClusterRank)
                            .Default(nullptr);
    if (flag) {
      *flag = true;
      return Error::success();
    }
    if (!shape && !number)
      return failAt(name.data(), "'" + name + "' is not supported", true);
    SmallVector<uint64_t, 3> numbers;
    do {
      if (!numbers.empty())
        c_.take(); // a comma
      if (c_.now().kind != Token::Integer)
        return syntaxError();
      numbers.push_back(c_.take().bits);
    } while (numbers.size() < (shape ? 3 : 1) && c_.now().is(','));
    if (is_contained(numbers, 0) && !name.ends_with("cluster") && !name.ends_with("rank"))
      return failAt(name.data(), "Positive non-zero value expected for " + name.drop_front());
    if (shape)
      *shape = numbers;
    else
      *number = numbers[0];
    return Error::success();
  }

  Error checkDirectives(const ModuleFunction &function) const {
    const auto conflict = [&](StringRef one, StringRef other) {
      return failAt(function.name.data(), "Conflicting directives: " + one + " and " + other +
                                              " cannot both be specified");
    };
    if (!function.maxThreads.empty() && !function.exactThreads.empty())
      return conflict(".maxntid", ".reqntid");
    if (!function.cluster.empty() && function.maxClusterRank)
      return conflict(".reqnctapercluster", ".maxclusterrank");
    if (function.countsClusters && (function.exactThreads.empty() || function.cluster.empty()))
      return failAt(function.name.data(), ".reqntid and .reqnctapercluster directive(s) required "
                                          "for directive '.blocksareclusters'");
    return Error::success();
  }

  Error readOther(StringRef name) {
    if (c_.consume(".version"))
      return readVersion();
    if (c_.consume(".target"))
      return readTarget();
    if (c_.consume(".address_size"))
      return readAddressSize();
    if (c_.consume(".file"))
      return readFile();
    if (c_.consume(".alias"))
      return readAlias();
    if (c_.consume(".section")) { // the block behind it is the debugger's
      isSection_ = true;
      isStrings_ = c_.now().text == ".debug_str";
      while (!c_.isAtEnd())
        c_.take();
      return Error::success();
    }
    if (name != ".pragma")
      return syntaxError();
    while (!c_.isAtEnd() && !c_.take().is(';'))
      ;
    return Error::success();
  }

  Error readVersion() {
    const char *at = c_.now().text.data();
    StringRef major, minor;
    std::tie(major, minor) = c_.take().text.split('.');
    unsigned high = 0, low = 0;
    if (major.getAsInteger(10, high) || minor.getAsInteger(10, low) || low > 9 || high > 1000)
      return failAt(at, "Parsing error near '" + major + "': syntax error", true);
    module_.version = high * 10 + low;
    if (module_.version <= NewestVersion)
      return Error::success();
    return make_error<PlacedError>(
        at, ("Unsupported .version " + major + "." + minor + "; current version is '9.1'").str(),
        true);
  }

  /// sm_90a, debug
  Error readTarget() {
    const char *at = c_.now().text.data();
    do {
      StringRef name = c_.now().text, number = name;
      if (c_.now().kind != Token::Name)
        return syntaxError();
      c_.take();
      if (!number.consume_front("sm_") && !number.consume_front("compute_"))
        continue; // texmode_independent, debug, map_f64_to_f32
      module_.target = number;
      number = number.take_while(isDigit);
      if (!isTarget(number) || number.getAsInteger(10, module_.sm))
        return failAt(at, "Unsupported .target '" + name + "'", true);
    } while (c_.consume(','));
    return Error::success();
  }

  /// PTX ISA, ".target".
  static bool isTarget(StringRef number) {
    static const StringSet<> known = {"10", "11",  "12",  "13",  "20",  "21",  "30", "32",
                                      "35", "37",  "50",  "52",  "53",  "60",  "61", "62",
                                      "70", "72",  "75",  "80",  "86",  "87",  "88", "89",
                                      "90", "100", "101", "103", "110", "120", "121"};
    return known.contains(number);
  }

  Error readAddressSize() {
    const char *at = c_.now().text.data();
    Expected<uint64_t> bits = c_.takeInteger("a number of bits");
    if (!bits)
      return bits.takeError();
    if (*bits != 32 && *bits != 64)
      return failAt(at, "Illegal value for .address_size directive (must be 32 or 64)", true);
    module_.addressSize = unsigned(*bits);
    return Error::success();
  }

  /// .file 1 "x.cu", 1700000000, 1000
  Error readFile() {
    Expected<uint64_t> number = c_.takeInteger("a number");
    if (!number)
      return number.takeError();
    if (c_.now().kind != Token::String)
      return c_.expected("a name in quotes");
    module_.files[*number] = c_.take().text.drop_front().drop_back();
    while (c_.consume(','))
      if (Error error = c_.takeInteger("a number").takeError())
        return error;
    return Error::success();
  }

  /// .alias name, function;
  Error readAlias() {
    Expected<StringRef> name = c_.takeName("a function");
    if (!name)
      return name.takeError();
    if (Error error = c_.expect(','))
      return error;
    Expected<StringRef> target = c_.takeName("a function");
    if (!target)
      return target.takeError();
    module_.aliases.push_back({*name, *target});
    return Error::success();
  }

  ModuleText &module_;
  Cursor c_;
  bool hasBlock_, isSection_ = false, isStrings_ = false;
};

} // namespace

ModuleText readModuleText(StringRef text, Problems &problems) {
  ModuleText module;
  Scanner scanner(text);
  while (!scanner.isAtEnd() && !problems.isFatal()) {
    const size_t start = scanner.at();
    size_t brace = text.size(), end = text.size();
    const bool hasBlock = scanner.findBlock(brace);
    const bool hasEnd = hasBlock && scanner.findEnd(end);
    auto tokens = tokenize(text.slice(start, brace));
    if (!tokens) {
      problems.note(tokens.takeError(), text.data() + start);
      break;
    }
    Directives directives(module, Cursor(*tokens), hasBlock);
    auto function = directives.run();
    if (!function) {
      problems.note(function.takeError(), text.data() + brace);
      break;
    }
    if (hasBlock && !hasEnd)
      problems.error(text.end(), "Parsing error near '': syntax error", true);
    if (directives.isStrings())
      module.strings = text.slice(brace + 1, end);
    if (*function) {
      (*function)->hasBody = true;
      (*function)->body = text.slice(brace + 1, end);
    }
  }
  if (module.version > NewestVersion)
    problems.refuseVersion();
  if (!problems.any())
    checkModuleText(module, problems);
  return module;
}

} // namespace heddle::frontend::ptx
