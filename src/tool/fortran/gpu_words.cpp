// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvfortran's words for device code become nvcc's options, so that a word means for CUDA Fortran
// what the option means for CUDA C++ (options/settings.cpp), and goes on to the sources in CUDA C++
// of the same command.
#include "tool/fortran/gpu_words.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace heddle::tool {

namespace {

enum class Meaning { Option, Keep, Memory, Accepted };

struct Word {
  std::string_view spelling;
  Meaning meaning;
  std::string_view nvcc;
};

constexpr Word Table[] = {
#define GPU_WORD(spelling, meaning, nvcc) {spelling, Meaning::meaning, nvcc},
#include "tool/fortran/gpu_words.def"
};

std::string_view nameOf(std::string_view word) { return word.substr(0, word.find(':')); }

const Word *find(std::string_view name) {
  const auto *word = std::find_if(std::begin(Table), std::end(Table),
                                  [&](const Word &known) { return known.spelling == name; });
  return word == std::end(Table) ? nullptr : word;
}

/// nvcc's option for cc80, cc3x, ccall and ccnative; cc3x is the first of its kind.
std::optional<std::string> architectureOption(std::string_view word) {
  if (word == "ccall" || word == "ccnative")
    return "-arch=" + std::string(word.substr(2));
  if (!word.starts_with("cc") || word.size() < 4)
    return {};
  std::string number(word.substr(2));
  if (number.back() == 'x')
    number.back() = '0';
  if (!std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); }))
    return {};
  return "-gencode=arch=compute_" + number + ",code=[sm_" + number + ",compute_" + number + "]";
}

bool isToolkitVersion(std::string_view word) {
  return word.starts_with("cuda") && word.size() > 4 && std::isdigit(word[4]);
}

class Reader {
public:
  GpuWords read(const FortranOptions &options) {
    for (FOpt id : {FOpt::Cuda, FOpt::Gpu, FOpt::MCuda})
      for (const std::string &word : options.values(id))
        add(word);
    if (options.has(FOpt::Debug) && !noDebug_)
      addOption("-G");
    chooseArchitectures();
    return std::move(words_);
  }

private:
  void add(const std::string &word) {
    noDebug_ |= word == "nodebug";
    if (std::optional<std::string> option = architectureOption(word)) {
      addOption(*option);
    } else if (const Word *known = find(nameOf(word))) {
      if (known->meaning == Meaning::Option)
        addOption(std::string(known->nvcc) + (word.size() > known->spelling.size()
                                                  ? word.substr(known->spelling.size() + 1)
                                                  : ""));
      else if (known->meaning == Meaning::Keep)
        addKept(word);
      else if (known->meaning == Meaning::Memory)
        addMemory(word);
    }
  }

  /// mem:separate, the default, and what may stand behind a second colon make no difference here.
  void addMemory(std::string_view word) {
    std::string_view mode = word.starts_with("mem:") ? word.substr(4) : word;
    words_.isManaged |= mode.starts_with("managed") || mode.starts_with("unified");
    words_.isUnified |= mode.starts_with("unified");
    words_.zeroesMemory |= mode == "zeroinit";
  }

  void addOption(const std::string &option) {
    bool isArchitecture = option.starts_with("-gencode") || option.starts_with("-arch");
    std::vector<std::string> &list = isArchitecture ? architectures_ : words_.nvcc;
    if (std::find(list.begin(), list.end(), option) == list.end())
      list.push_back(option);
  }

  void addKept(const std::string &word) {
    words_.keepsPtx |= word == "keepptx" || word == "keep";
    words_.keepsImage |= word == "keepbin" || word == "keep";
    words_.keepsBitcode |= word == "keepgpu" || word == "keep";
  }

  /// -arch=all says more than any -gencode, and nvcc takes one of the two.
  void chooseArchitectures() {
    for (const std::string &option : architectures_)
      if (option.starts_with("-arch"))
        return words_.nvcc.push_back(option);
    words_.nvcc.insert(words_.nvcc.end(), architectures_.begin(), architectures_.end());
  }

  GpuWords words_;
  std::vector<std::string> architectures_;
  bool noDebug_ = false;
};

} // namespace

bool isGpuWord(std::string_view word) {
  std::string_view name = nameOf(word);
  return find(name) || architectureOption(word) || isToolkitVersion(word) ||
         (name.starts_with("no") && find(name.substr(2)));
}

std::string gpuWordsHelp() {
  std::string text = "words of -Mcuda=, -cuda= and -gpu=, between commas:\n";
  for (const Word &word : Table) {
    std::string left = "  " + std::string(word.spelling);
    if (word.nvcc.ends_with('='))
      left += ":<n>";
    left.resize(std::max<size_t>(left.size() + 1, 20), ' ');
    text += left;
    text += word.meaning == Meaning::Option   ? "as nvcc " + std::string(word.nvcc)
            : word.meaning == Meaning::Keep   ? "leave files of device code in the current folder"
            : word.meaning == Meaning::Memory ? "where the program's memory is, or what is in it"
                                              : "makes no difference here";
    text += '\n';
  }
  return text + "  cc<number>        as nvcc -gencode, for this compute capability\n"
                "  cuda<release>     makes no difference here\n";
}

GpuWords readGpuWords(const FortranOptions &options) { return Reader().read(options); }

} // namespace heddle::tool
