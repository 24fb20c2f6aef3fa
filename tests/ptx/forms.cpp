// RUN: clang --driver-mode=g++ -std=c++20 -frounding-math -Wno-unknown-pragmas %s -o %t -ldl -Wl,-rpath,%build/lib
// RUN: %t --opcodes %S/../../src/frontend/ptx/opcodes.def
// RUN: env HEDDLE_WIDTH=1 %t --part 3/16
// RUN: %t --part 3/16 --hashes %S/Inputs/h200_forms.txt
// RUN: %all %t --hashes %S/Inputs/h200_forms.txt
// RUN: %all env HEDDLE_WIDTH=1 %t --record %t.width1
// RUN: %all env HEDDLE_WIDTH=8 %t --compare %t.width1
// RUN: %all env HEDDLE_WIDTH=16 %t --compare %t.width1
// RUN: %all env HEDDLE_WIDTH=32 %t --compare %t.width1
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every instruction that computes, with its types and modifiers, on zeros, infinities, NaNs, subnormals and extremes,
// against the host's arithmetic. The forms are made in Inputs/forms_*.h. On a machine with a GPU
//
//     ./forms --record forms.h200
//     ./forms --replay forms.h200 --write-hashes Inputs/h200_forms.txt
//
// write what it gives (a u64 for each form and case, in order) and a hash of each form. `--hashes` compares with these,
// but for approximations and what Inputs/recording.h lists; `--compare forms.h200 --approximately` with all values, of
// which it shows the first that differ. `--replay` takes a file's results in place of the device's. `--list` prints the forms, `--ptx` the modules.
// `--opcodes TABLE` fails if one of the table's opcodes that only compute has no form.
#include "Inputs/driver.h"
#include "Inputs/forms_float.h"
#include "Inputs/forms_integer.h"
#include "Inputs/forms_video.h"
#include "Inputs/recording.h"
#include "Inputs/text.h"

constexpr uint32_t Cases = 512;
constexpr size_t FormsOfKernel = 24, KernelsOfModule = 8, MostOperands = 4, MostShown = 4;

/// Operands of all cases of a form: first, each special value of each operand; then at random.
static std::vector<u64> casesOf(const Form &form, u64 seed) {
  Values values(seed);
  std::vector<u64> all;
  std::vector<std::vector<u64>> known;
  for (Kind kind : form.in)
    known.push_back(specials(kind));
  for (uint32_t i = 0; i < Cases; ++i)
    for (size_t operand = 0; operand < MostOperands; ++operand) {
      if (operand >= form.in.size())
        all.push_back(0);
      else if (form.in.size() == 1 && i < known[0].size())
        all.push_back(known[0][i]);
      else
        all.push_back(values.draw(form.in[operand]));
    }
  return all;
}

/// Opcodes of a table that have no form, but those that are about addresses.
static int findMissing(const std::string &table, const std::vector<Form> &forms) {
  static const char *const others[] = {"cvta", "isspacep", "createpolicy", "mbarrier", "clusterlaunchcontrol", "mapa", "getctarank"};
  std::string all;
  for (const Form &form : forms)
    all += "; " + form.text;
  std::ifstream file(table);
  int opcodes = 0, missing = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find("PTX_OPCODE(\"") != 0 || line.find(", None)") == std::string::npos)
      continue;
    const std::string name = line.substr(12, line.find_first_of(".\"", 12) - 12);
    ++opcodes;
    bool isOther = all.find("; " + name + ".") != std::string::npos;
    for (const char *other : others)
      isOther |= name == other;
    if (!isOther)
      std::printf("no form has %s\n", name.c_str()), ++missing;
  }
  return missing || !opcodes;
}

/// Of a form's results; of an approximation, dashes.
static std::string hashOf(const Form &form, const u64 *results) {
  Hash hash;
  for (uint32_t i = 0; i < Cases; ++i)
    hash.add(form.out, results[i]);
  return form.isRight ? std::string(16, '-') : hash.text();
}

/// Whether a form's line is the recorded one, or a listed deviation's. A deviation that is none any more is wrong.
static bool agreesWith(const std::vector<std::string> &recorded, size_t i, const std::string &line) {
  const std::string text = line.substr(17);
  if (i >= recorded.size() || recorded[i].substr(17) != text) {
    std::printf("%s is not recorded\n", text.c_str());
    return false;
  }
  const Deviation *deviation = deviationOf(text);
  const bool isSame = recorded[i] == line;
  if (deviation ? isSame && !deviation->isSeldom : !isSame) {
    std::printf("%s: %s\n", text.c_str(), isSame ? "is as on the GPU, but listed" : "differs from the GPU");
    return false;
  }
  return true;
}

struct Options {
  size_t part = 0, parts = 1;
  std::string record, compare, opcodes, replay, hashes, writeHashes;
  bool isApproximate = false;
  bool lists = false, printsPtx = false;
};

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--part" && i + 1 < argc)
      std::sscanf(argv[++i], "%zu/%zu", &options.part, &options.parts);
    else if (word == "--record" && i + 1 < argc)
      options.record = argv[++i];
    else if (word == "--compare" && i + 1 < argc)
      options.compare = argv[++i];
    else if (word == "--replay" && i + 1 < argc)
      options.replay = argv[++i];
    else if (word == "--hashes" && i + 1 < argc)
      options.hashes = argv[++i];
    else if (word == "--write-hashes" && i + 1 < argc)
      options.writeHashes = argv[++i];
    else if (word == "--opcodes" && i + 1 < argc)
      options.opcodes = argv[++i];
    options.isApproximate |= word == "--approximately";
    options.lists |= word == "--list";
    options.printsPtx |= word == "--ptx";
  }
  std::vector<Form> forms;
  IntegerForms(forms).addAll();
  FloatForms(forms).addAll();
  VideoForms(forms).addAll();
  if (options.lists)
    for (const Form &form : forms)
      std::printf("%s\n", form.text.c_str());
  if (options.lists)
    return 0;
  if (!options.opcodes.empty())
    return findMissing(options.opcodes, forms);

  std::vector<u64> recorded, replayed;
  for (auto [path, values] : {std::pair(&options.compare, &recorded), {&options.replay, &replayed}})
    if (!path->empty() && (*values = wordsOf(*path)).size() != forms.size() * Cases) {
      std::printf("%s holds other forms\n", path->c_str());
      return 2;
    }
  const std::vector<std::string> hashes = options.hashes.empty() ? std::vector<std::string>() : linesOf(options.hashes);
  std::ofstream record;
  if (!options.record.empty())
    record.open(options.record, std::ios::binary);
  std::ofstream hashesTo;
  if (!options.writeHashes.empty())
    hashesTo.open(options.writeHashes);

  Driver *driver = options.printsPtx || !replayed.empty() ? nullptr : new Driver;
  size_t failures = 0, values = 0;
  for (size_t first = 0, number = 0; first < forms.size(); first += FormsOfKernel * KernelsOfModule) {
    const size_t end = std::min(forms.size(), first + FormsOfKernel * KernelsOfModule);
    std::string ptx = moduleHead();
    for (size_t at = first; at < end; at += FormsOfKernel)
      ptx += kernelOf("k" + std::to_string(at), forms, at, std::min(end, at + FormsOfKernel), MostOperands);
    if (options.printsPtx)
      std::printf("%s", ptx.c_str());
    if (options.printsPtx)
      continue;
    void *module = nullptr;
    for (size_t at = first; at < end; at += FormsOfKernel) {
      if (number++ % options.parts != options.part)
        continue;
      module = module || !driver ? module : driver->load(ptx);
      const size_t count = std::min(end, at + FormsOfKernel) - at;
      std::vector<u64> in, out(count * Cases);
      for (size_t i = 0; i < count; ++i) {
        const std::vector<u64> cases = casesOf(forms[at + i], at + i);
        in.insert(in.end(), cases.begin(), cases.end());
      }
      if (driver)
        driver->run(driver->kernelOf(module, "k" + std::to_string(at)), 1, in, out, Cases);
      else
        std::copy_n(replayed.begin() + long(at * Cases), out.size(), out.begin());
      for (size_t i = 0; i < count; ++i) {
        const std::string line = hashOf(forms[at + i], &out[i * Cases]) + " " + forms[at + i].text;
        hashesTo << line << "\n";
        failures += !hashes.empty() && !agreesWith(hashes, at + i, line);
      }
      record.write(reinterpret_cast<const char *>(out.data()), std::streamsize(out.size() * 8));
      size_t wrongOfForm = 0;
      for (size_t i = 0; i < out.size(); ++i) {
        wrongOfForm = i % Cases ? wrongOfForm : 0;
        const Form &form = forms[at + i / Cases];
        const u64 *v = &in[i * MostOperands];
        const u64 want = recorded.empty() ? form.eval(v) : recorded[at * Cases + i];
        const bool isNear = form.isRight && (recorded.empty() || (options.isApproximate && isFloat(form.out)));
        const bool isRight = isNear ? form.isRight(out[i], v) : agree(form.out, out[i], want);
        ++values;
        if (isRight)
          continue;
        ++failures;
        if (++wrongOfForm > MostShown)
          continue;
        std::printf("%s of %llx %llx %llx %llx: got %llx, want %llx\n", form.text.c_str(), (long long)v[0], (long long)v[1], (long long)v[2],
                    (long long)v[3], (long long)out[i], (long long)want);
      }
    }
    if (module)
      driver->unload(module);
  }
  std::printf("%zu values of %zu forms, %zu wrong\n", values, forms.size(), failures);
  return failures || (!options.printsPtx && !values);
}
