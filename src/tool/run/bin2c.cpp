// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/bin2c.h"
#include "tool/cc.h"
#include "tool/compile/compile.h"
#include "tool/options/options.h"
#include "tool/tools/files.h"

#include <cstdio>
#include <cstdlib>

namespace heddle::tool {

namespace {

constexpr const char *Usage =
    "Usage: bin2c [options] <input file>\n\n"
    "Writes the bytes of a file as an array of C to the standard output.\n\n"
    "  --alignment, -a <bytes>       align the array\n"
    "  --const, -c                   a constant array\n"
    "  --length, -l                  also a variable <name>Length, the number of bytes\n"
    "  --name, -n <name>             the array's name (default: imageBytes)\n"
    "  --nvint, -nvint               nv_uint64 in place of unsigned long long\n"
    "  --options-file, -optf <file>  read more options from this file\n"
    "  --padd, -p <byte>,...         bytes behind the file's\n"
    "  --section, -s <name>          put the array into this section\n"
    "  --static, -st                 a static array\n"
    "  --stdint, -stdint             uint64_t in place of unsigned long long\n"
    "  --type, -t <type>             char (default), short, int or longlong\n"
    "  --help, -h; --version, -V\n";

struct ArrayOptions {
  bool isConst = false, isStatic = false, hasLength = false, asNvInt = false, asStdInt = false;
  std::string name = "imageBytes", section, type = "char", alignment, input;
  std::vector<std::string> padding;
};

struct Flag {
  const char *longName, *shortName;
  bool ArrayOptions::*flag;
};
constexpr Flag Flags[] = {{"const", "c", &ArrayOptions::isConst},
                          {"length", "l", &ArrayOptions::hasLength},
                          {"nvint", "nvint", &ArrayOptions::asNvInt},
                          {"static", "st", &ArrayOptions::isStatic},
                          {"stdint", "stdint", &ArrayOptions::asStdInt}};

struct Value {
  const char *longName, *shortName;
  std::string ArrayOptions::*value;
};
constexpr Value Values[] = {{"alignment", "a", &ArrayOptions::alignment},
                            {"name", "n", &ArrayOptions::name},
                            {"section", "s", &ArrayOptions::section},
                            {"type", "t", &ArrayOptions::type}};

struct Base {
  const char *name, *cName;
  size_t size;
};
constexpr Base Bases[] = {{"char", "unsigned char", 1},
                          {"short", "unsigned short", 2},
                          {"int", "unsigned int", 4},
                          {"longlong", "unsigned long long", 8}};

class ArrayParser {
public:
  Result<ArrayOptions> parse(const std::vector<std::string> &words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string &word = words[i];
      if (word.size() < 2 || word[0] != '-') {
        options_.input = word;
        continue;
      }
      std::string name = word.substr(word.starts_with("--") ? 2 : 1);
      if (setFlag(name))
        continue;
      size_t equals = name.find('=');
      bool isHere = equals != name.npos;
      if (!isHere && i + 1 == words.size())
        return Failure{"Unknown option or missing value: '" + word + "'"};
      std::string value = isHere ? name.substr(equals + 1) : words[++i];
      if (!setValue(name.substr(0, equals), value))
        return Failure{"Unknown option '" + word + "'"};
    }
    return options_;
  }

private:
  bool setFlag(const std::string &name) {
    for (const Flag &flag : Flags)
      if (name == flag.longName || name == flag.shortName) {
        options_.*flag.flag = true;
        return true;
      }
    return false;
  }

  bool setValue(const std::string &name, const std::string &value) {
    for (const Value &known : Values)
      if (name == known.longName || name == known.shortName) {
        options_.*known.value = value;
        return true;
      }
    if (name != "padd" && name != "p")
      return false;
    for (std::string &byte : splitCommas(value))
      options_.padding.push_back(std::move(byte));
    return true;
  }

  ArrayOptions options_;
};

/// The array's elements, of `size` bytes each; the last is filled up with zeros.
std::string elements(const std::string &bytes, size_t size) {
  constexpr size_t BytesInALine = 16;
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += size) {
    unsigned long long value = 0;
    for (size_t k = 0; k < size && i + k < bytes.size(); ++k)
      value |= static_cast<unsigned long long>(static_cast<unsigned char>(bytes[i + k])) << 8 * k;
    char digits[24];
    snprintf(digits, sizeof digits, "0x%0*llx", static_cast<int>(2 * size), value);
    text += i == 0 ? "" : i % BytesInALine == 0 ? ",\n" : ",";
    text += digits;
  }
  return text;
}

int write(const ArrayOptions &o) {
  const Base *base = nullptr;
  for (const Base &known : Bases)
    if (o.type == known.name)
      base = &known;
  if (!base)
    return fatal("Value '" + o.type + "' is not defined for option 'type'");
  Result<std::string> bytes = readFile(o.input);
  if (!bytes)
    return fatal("Could not open input file '" + o.input + "'");
  for (const std::string &byte : o.padding)
    *bytes += static_cast<char>(std::strtoul(byte.c_str(), nullptr, 0));
  std::string type = base->cName;
  if (base->size == 8 && o.asStdInt)
    type = "uint64_t";
  if (base->size == 8 && o.asNvInt)
    type = "nv_uint64";
  std::string attributes;
  if (!o.alignment.empty())
    attributes += " __attribute__((aligned(" + o.alignment + ")))";
  if (!o.section.empty())
    attributes += " __attribute__((section(\"" + o.section + "\")))";
  std::string text = o.asStdInt ? "#include <stdint.h>\n" : "";
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += std::string(o.isStatic ? "static " : "") + (o.isConst ? "const " : "") + type + " " +
          o.name + "[]" + attributes + " = {\n" + elements(*bytes, base->size) + "\n};\n\n";
  if (o.hasLength)
    text += "unsigned int " + o.name + "Length = " + std::to_string(bytes->size()) + ";\n\n";
  text += "#ifdef __cplusplus\n}\n#endif\n";
  fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

} // namespace

int runBin2c(const std::vector<std::string> &words) {
  Result<std::vector<std::string>> all = expandFiles(words);
  if (!all)
    return fatal(all.error());
  for (const std::string &word : *all)
    if (word == "--help" || word == "-h")
      return fputs(Usage, stdout) < 0;
    else if (word == "--version" || word == "-V")
      return fputs(toolVersion("bin2c", "File to C").c_str(), stdout) < 0;
  Result<ArrayOptions> options = ArrayParser().parse(*all);
  if (!options)
    return fatal(options.error());
  if (options->input.empty())
    return fatal("No input file specified; use option --help for more information");
  return write(*options);
}

} // namespace heddle::tool
