// RUN: clang --driver-mode=g++ -std=c++20 -frounding-math -Wno-unknown-pragmas %s -o %t -ldl -Wl,-rpath,%build/lib
// RUN: env HEDDLE_WIDTH=1 %t --programs 32
// RUN: %t --programs 4 --seed 2
// RUN: %t --programs 16 --hashes %S/Inputs/h200_programs.txt
// RUN: %all %t --programs 500 --hashes %S/Inputs/h200_programs.txt
// RUN: %all env HEDDLE_WIDTH=1 %t --programs 400 --seed 3
// RUN: %all %at(8,16,32) %t --programs 200 --seed 4
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of PTX against an interpreter of them, which computes with the forms' host functions
// (Inputs/forms_*.h). A program is steps: forms, of which some are guarded, branches forward over some steps, and loops
// of a few rounds around some. Registers of 16, 32 and 64 bits and predicates are its memory; a thread begins with
// random values in them, and what is in them at the end is compared. `--programs 1000000` is the long form, `--seed N`
// one of many; `--record FILE` writes the results, on a GPU too. Of the first seed's programs,
//
//     ./random_programs --programs 2000 --record random.h200
//     ./random_programs --programs 2000 --replay random.h200 --write-hashes Inputs/h200_programs.txt
//
// write what an H200 gives, as a hash of each program, and `--hashes` compares with it, but for what Inputs/recording.h
// lists. `--replay` takes a file's results in place of the device's.
//
// NaNs that arithmetic makes have any payload, so a result of floats that is one becomes 0.
#include "Inputs/driver.h"
#include "Inputs/forms_float.h"
#include "Inputs/forms_integer.h"
#include "Inputs/forms_video.h"
#include "Inputs/recording.h"
#include "Inputs/text.h"

constexpr size_t RegistersOfKind = 5, Steps = 28, ProgramsOfKernel = 4, KernelsOfModule = 16;
constexpr uint32_t Threads = 32;
static const Kind Files[] = {Kind::Pred, Kind::I16, Kind::I32, Kind::I64}; ///< kinds of registers

static size_t fileOf(Kind kind) {
  switch (bitsOf(kind)) {
  case 1:
    return 0;
  case 16:
    return 1;
  case 32:
    return 2;
  default:
    return 3;
  }
}

struct Step {
  enum What { Compute, Branch, LoopBegin, LoopEnd, Label } what = Compute;
  const Form *form = nullptr;
  std::vector<size_t> registers; ///< the result's, then the operands'
  int guard = -1;                ///< a predicate's number
  bool isGuardNegated = false;
  size_t label = 0, rounds = 0, begin = 0; ///< begin: of a loop's end
};

class Program {
public:
  Program(const std::vector<const Form *> &forms, u64 seed) : values_(seed) {
    size_t label = 0, skipsTo = 0, loopBegin = 0;
    for (size_t i = 1; i <= Steps; ++i) { // 0 is none
      if (skipsTo && i == skipsTo)
        close(Step::Label, label++), skipsTo = 0;
      if (loopBegin && i == loopBegin + 4)
        close(Step::LoopEnd, label++), steps_.back().begin = loopAt_, steps_.back().rounds = rounds_, loopBegin = 0;
      const u64 what = values_.below(12);
      if (what == 0 && !skipsTo && !loopBegin && i + 5 < Steps) {
        Step branch;
        branch.what = Step::Branch;
        branch.guard = int(values_.below(RegistersOfKind));
        branch.isGuardNegated = values_.below(2);
        branch.label = label;
        steps_.push_back(branch);
        skipsTo = i + 2 + values_.below(3);
      } else if (what == 1 && !skipsTo && !loopBegin && i + 5 < Steps) {
        close(Step::LoopBegin, label);
        loopAt_ = steps_.size() - 1;
        rounds_ = 1 + values_.below(3);
        loopBegin = i;
      } else {
        steps_.push_back(compute(*forms[values_.below(forms.size())]));
      }
    }
    if (skipsTo)
      close(Step::Label, label);
    if (loopBegin)
      close(Step::LoopEnd, label), steps_.back().begin = loopAt_, steps_.back().rounds = rounds_;
  }

  std::string text(const std::string &prefix) const {
    std::string text = "\t{\n";
    for (size_t file = 0; file < 4; ++file)
      text += std::string("\t.reg .") + (file ? "b" + std::to_string(8 << file) : "pred") + " %" + letterOf(Files[file]) + "<" + std::to_string(RegistersOfKind) + ">;\n";
    text += "\t.reg .b32 %round;\n";
    for (size_t i = 0; i < 4 * RegistersOfKind; ++i)
      text += "\tld.global.u64 %x, [%in+" + std::to_string(8 * i) + "];\n" + narrowed(Files[i / RegistersOfKind], name(i), "%x");
    for (const Step &step : steps_)
      text += textOfStep(step, prefix);
    for (size_t i = 0; i < 4 * RegistersOfKind; ++i)
      text += widened(Files[i / RegistersOfKind], "%x", name(i)) + "\tst.global.u64 [%out+" + std::to_string(8 * i) + "], %x;\n";
    return text + "\t}\n";
  }

  /// Without one of its steps; with all of them where others need it.
  std::vector<Program> smaller() const {
    std::vector<Program> all;
    for (size_t i = 0; i < steps_.size(); ++i)
      if (steps_[i].what == Step::Compute) {
        all.push_back(*this);
        all.back().steps_.erase(all.back().steps_.begin() + long(i));
        for (Step &step : all.back().steps_)
          step.begin -= step.what == Step::LoopEnd && step.begin > i;
      }
    return all;
  }

  /// Whether ptxas may make something else of one of its steps.
  bool mayDeviate() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step &step) {
      return step.what == Step::Compute && deviationOf((step.guard < 0 ? "" : "@") + step.form->text);
    });
  }

  void interpret(u64 *registers) const {
    size_t round = 0;
    for (size_t at = 0; at < steps_.size(); ++at) {
      const Step &step = steps_[at];
      const bool goes = step.guard < 0 || bool(registers[step.guard]) != step.isGuardNegated;
      if (step.what == Step::LoopBegin)
        round = 0;
      else if (step.what == Step::LoopEnd && ++round < step.rounds)
        at = step.begin;
      else if (step.what == Step::Branch && goes)
        while (steps_[at].what != Step::Label || steps_[at].label != step.label)
          ++at;
      else if (step.what == Step::Compute && goes)
        evaluate(step, registers);
    }
  }

private:
  static std::string name(size_t number) { return std::string("%") + letterOf(Files[number / RegistersOfKind]) + std::to_string(number % RegistersOfKind); }

  void close(Step::What what, size_t label) {
    Step step;
    step.what = what;
    step.label = label;
    steps_.push_back(step);
  }

  Step compute(const Form &form) {
    Step step;
    step.form = &form;
    step.registers.push_back(fileOf(form.out) * RegistersOfKind + values_.below(RegistersOfKind));
    for (Kind kind : form.in)
      step.registers.push_back(fileOf(kind) * RegistersOfKind + values_.below(RegistersOfKind));
    if (values_.below(4) == 0 && form.text.find(';') == form.text.size() - 1) {
      step.guard = int(values_.below(RegistersOfKind));
      step.isGuardNegated = values_.below(2);
    }
    return step;
  }

  std::string textOfStep(const Step &step, const std::string &prefix) const {
    const std::string label = prefix + "L" + std::to_string(step.label);
    const std::string guard = step.guard < 0 ? "" : std::string("@") + (step.isGuardNegated ? "!" : "") + "%p" + std::to_string(step.guard) + " ";
    switch (step.what) {
    case Step::Branch:
      return "\t" + guard + "bra " + label + ";\n";
    case Step::Label:
      return label + ":\n";
    case Step::LoopBegin:
      return "\tmov.u32 %round, 0;\n" + label + "B:\n";
    case Step::LoopEnd:
      return "\tadd.u32 %round, %round, 1;\n\tsetp.lt.u32 %q, %round, " + std::to_string(step.rounds) + ";\n\t@%q bra " + prefix + "L" + std::to_string(step.label) + "B;\n";
    default:
      break;
    }
    std::vector<std::string> registers;
    for (size_t number : step.registers)
      registers.push_back(name(number));
    std::string text = "\t" + guard + ::textOf(*step.form, registers) + "\n";
    if (isFloat(step.form->out)) {
      const std::string &to = registers[0];
      switch (step.form->out) {
      case Kind::Single:
      case Kind::Double:
        text += "\t" + guard + "testp.notanumber." + (step.form->out == Kind::Single ? "f32" : "f64") + " %q, " + to + ";\n";
        text += "\t" + guard + "selp.b" + std::to_string(bitsOf(step.form->out)) + " " + to + ", 0, " + to + ", %q;\n";
        break;
      default:
        break;
      }
    }
    return text;
  }

  static void evaluate(const Step &step, u64 *registers) {
    u64 in[4] = {};
    for (size_t i = 1; i < step.registers.size(); ++i)
      in[i - 1] = registers[step.registers[i]];
    u64 result = step.form->eval(in);
    const Kind kind = step.form->out;
    if ((kind == Kind::Single || kind == Kind::Double) && formatOf(kind).isNan(result))
      result = 0;
    registers[step.registers[0]] = result & maskOf(kind);
  }

  Values values_;
  std::vector<Step> steps_;
  size_t loopAt_ = 0, rounds_ = 0;
};

/// A block is a program; each of its threads has registers of its own.
static std::string kernelOf(const std::string &name, const std::vector<Program> &programs) {
  std::string text = ".visible .entry " + name + "(.param .u64 in, .param .u64 out, .param .u32 count) {\n"
                     "\t.reg .b64 %in, %out, %x; .reg .b32 %i, %n; .reg .pred %done;\n" + scratch() +
                     "\tld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;\n"
                     "\tsetp.ge.u32 %done, %i, " + std::to_string(Threads) + "; @%done ret;\n"
                     "\tmov.u32 %n, %ctaid.y; mad.lo.u32 %i, %n, " + std::to_string(Threads) + ", %i;\n"
                     "\tmad.wide.u32 %in, %i, " + std::to_string(32 * RegistersOfKind) + ", %in;\n"
                     "\tmad.wide.u32 %out, %i, " + std::to_string(32 * RegistersOfKind) + ", %out;\n";
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::string prefix = "$" + name + "_" + std::to_string(i);
    text += "\tsetp.ne.u32 %done, %n, " + std::to_string(i) + ";\n\t@%done bra " + prefix + ";\n" + programs[i].text(prefix + "_") + "\tret;\n" + prefix + ":\n";
  }
  return text + "\tret;\n}\n";
}

/// Whose results are known bit by bit, NaNs of floats and doubles apart. Another list makes other programs, which must be
/// recorded again; conversions to integers are not in the recorded one.
static bool isExact(const Form &form) {
  if (form.opcode() == "cvt" && isFloat(form.in[0]) && !isFloat(form.out))
    return false;
  const bool isRounded = form.out == Kind::Half || form.out == Kind::Brain || isPair(form.out);
  const bool mayContract = form.text.find(".f32") != std::string::npos || form.text.find(".f64") != std::string::npos;
  const std::string op = form.text.substr(0, 4);
  const bool isSum = op == "add." || op == "sub." || op == "mul.";
  const bool hasRounding = form.text.find(".r") != std::string::npos;
  return !form.isRight && !isRounded && !(isSum && mayContract && !hasRounding);
}

/// The registers of the threads of some programs that the device leaves otherwise than the interpreter: calls `note` with
/// the program's number, the thread's and the register's, what is there and what should be.
template <class Note> void compare(const std::vector<Program> &programs, const std::vector<u64> &in, const std::vector<u64> &out, Note note) {
  constexpr size_t Values = 4 * RegistersOfKind;
  for (size_t i = 0; i < in.size(); i += Values) {
    std::vector<u64> registers(in.begin() + long(i), in.begin() + long(i + Values));
    programs[i / Values / Threads].interpret(registers.data());
    for (size_t r = 0; r < Values; ++r)
      if (registers[r] != out[i + r]) {
        note(i / Values / Threads, i / Values % Threads, r, out[i + r], registers[r]);
        break;
      }
  }
}

/// Takes steps away as long as the results stay wrong.
static Program shrunk(Driver &driver, Program program, const std::vector<u64> &in) {
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const Program &less : program.smaller()) {
      std::vector<u64> out(in.size());
      void *module = driver.load(moduleHead() + kernelOf("k", {less}));
      driver.run(driver.kernelOf(module, "k"), 1, in, out, Threads);
      driver.unload(module);
      bool isWrong = false;
      compare({less}, in, out, [&](auto...) { isWrong = true; });
      if (!isWrong)
        continue;
      program = less;
      isSmaller = true;
      break;
    }
  }
  return program;
}

int main(int argc, char **argv) {
  size_t programs = 64, wrong = 0;
  u64 seed = 1;
  std::string recordTo, replay, hashesFrom, writeHashes;
  bool printsPtx = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--programs" && i + 1 < argc)
      programs = std::strtoull(argv[++i], nullptr, 10);
    if (word == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    if (word == "--record" && i + 1 < argc)
      recordTo = argv[++i];
    if (word == "--replay" && i + 1 < argc)
      replay = argv[++i];
    if (word == "--hashes" && i + 1 < argc)
      hashesFrom = argv[++i];
    if (word == "--write-hashes" && i + 1 < argc)
      writeHashes = argv[++i];
    printsPtx |= word == "--ptx";
  }
  std::vector<Form> forms;
  IntegerForms(forms).addAll();
  FloatForms(forms).addAll();
  VideoForms(forms).addAll();
  std::vector<const Form *> exact;
  for (const Form &form : forms)
    if (isExact(form))
      exact.push_back(&form);
  std::ofstream record;
  if (!recordTo.empty())
    record.open(recordTo, std::ios::binary);

  std::ofstream hashesTo;
  if (!writeHashes.empty())
    hashesTo.open(writeHashes);
  const std::vector<std::string> hashes = hashesFrom.empty() ? std::vector<std::string>() : linesOf(hashesFrom);
  const std::vector<u64> replayed = replay.empty() ? std::vector<u64>() : wordsOf(replay);
  size_t same = 0, deviating = 0;

  constexpr size_t Values = 4 * RegistersOfKind;
  Driver *driver = printsPtx || !replayed.empty() ? nullptr : new Driver;
  for (size_t first = 0; first < programs; first += ProgramsOfKernel * KernelsOfModule) {
    std::string ptx = moduleHead();
    std::vector<std::vector<Program>> kernels;
    for (size_t k = 0; k < KernelsOfModule && first + k * ProgramsOfKernel < programs; ++k) {
      std::vector<Program> some;
      for (size_t i = 0; i < ProgramsOfKernel; ++i)
        some.emplace_back(exact, (seed << 32) + first + k * ProgramsOfKernel + i);
      ptx += kernelOf("k" + std::to_string(k), some);
      kernels.push_back(std::move(some));
    }
    if (printsPtx) {
      std::printf("%s", ptx.c_str());
      continue;
    }
    void *module = driver ? driver->load(ptx) : nullptr;
    for (size_t k = 0; k < kernels.size(); ++k) {
      std::vector<u64> in(ProgramsOfKernel * Threads * Values), out(in.size());
      ::Values values((seed << 32) + first + k);
      static const Kind floats[] = {Kind::Pred, Kind::Half, Kind::Single, Kind::Double}, plain[] = {Kind::Pred, Kind::I16, Kind::I32, Kind::I64};
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = values.draw((values.below(2) ? floats : plain)[i % Values / RegistersOfKind]);
      const size_t firstOfKernel = first + k * ProgramsOfKernel;
      if (driver)
        driver->run(driver->kernelOf(module, "k" + std::to_string(k)), ProgramsOfKernel, in, out, Threads);
      else if (replayed.size() >= (firstOfKernel + ProgramsOfKernel) * Threads * Values)
        std::copy_n(replayed.begin() + long(firstOfKernel * Threads * Values), out.size(), out.begin());
      for (size_t i = 0; i < ProgramsOfKernel; ++i) {
        Hash hash;
        for (size_t v = 0; v < Threads * Values; ++v)
          hash.add(Kind::I64, out[i * Threads * Values + v]);
        hashesTo << hash.text() << "\n";
        if (firstOfKernel + i >= hashes.size())
          continue;
        const bool isSame = hash.text() == hashes[firstOfKernel + i];
        ++(isSame ? same : deviating);
        if (!isSame && !kernels[k][i].mayDeviate())
          std::printf("program %zu differs from the GPU\n", firstOfKernel + i), ++wrong;
      }
      record.write(reinterpret_cast<const char *>(out.data()), std::streamsize(out.size() * 8));
      compare(kernels[k], in, out, [&](size_t which, size_t thread, size_t r, u64 got, u64 want) {
        if (++wrong <= 10)
          std::printf("seed %llu, program %zu, thread %zu, register %%%c%zu: got %llx, want %llx\n", (unsigned long long)seed,
                      first + k * ProgramsOfKernel + which, thread, letterOf(Files[r / RegistersOfKind]), r % RegistersOfKind,
                      (unsigned long long)got, (unsigned long long)want);
        if (wrong != 1 || !driver)
          return;
        const long begin = long(which * Threads * Values), size = long(Threads * Values);
        const std::vector<u64> own(in.begin() + begin, in.begin() + begin + size);
        std::printf("%s\n", shrunk(*driver, kernels[k][which], own).text("$").c_str());
      });
    }
    if (driver)
      driver->unload(module);
  }
  if (!hashes.empty())
    std::printf("%zu as on the GPU, %zu with known deviations or wrong\n", same, deviating);
  std::printf("%zu programs, %zu threads wrong\n", programs, wrong);
  return wrong != 0;
}
