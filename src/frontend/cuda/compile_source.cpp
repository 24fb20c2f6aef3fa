// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps are those of heddle-clang's device half: clang's driver makes of flags a command line of
// the compiler proper, a CompilerInstance reads the source from an overlay over the file system. What
// every source begins with, our device headers (include/heddle/rtc/begin.h), is compiled once for
// each set of flags that matter to it (prelude.h).
//
// Nothing here belongs to the process but LLVM's options, of which the flags name some (-mllvm).
// They are set once: they are the same for all, and no pass of the JIT has them.
#include "frontend/cuda/compile_source.h"

#include "base/cache/version.h"
#include "frontend/cuda/execution_spaces.h"
#include "frontend/cuda/name_expressions.h"
#include "frontend/cuda/precompiled.h"
#include "frontend/cuda/prelude.h"
#include "frontend/cuda/program_headers.h"
#include "frontend/cuda/source_log.h"
#include "frontend/nvptx.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <mutex>

using namespace clang;

namespace heddle::cuda {

namespace {

using Files = IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void initialize() {
  initializeNvptx();
  static std::once_flag once;
  std::call_once(once, [] { llvm::InitializeNativeTarget(); }); // the host's types
}

/// A line that says what file the next one is the first of.
std::string lineOf(StringRef name) {
  std::string line;
  llvm::raw_string_ostream stream(line);
  stream << "#line 1 \"";
  stream.write_escaped(name) << "\"\n";
  return line;
}

/// "-name=value", each once in the process.
void setOptions(const std::vector<std::string> &options) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  for (StringRef word : options) {
    auto [name, value] = word.ltrim('-').split('=');
    llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
    if (option && option->getNumOccurrences() == 0)
      (void)option->addOccurrence(0, name, value);
  }
}

/// The invocation of the compiler proper that the driver would start, or null.
std::shared_ptr<CompilerInvocation> invocationFor(const std::vector<std::string> &flags,
                                                  const std::string &input, Files files,
                                                  DiagnosticsEngine &diagnostics) {
  // What the flags say of warnings is for the compiler proper. The driver finds our toolkit newer than
  // those that it knows.
  diagnostics.setSeverityForGroup(diag::Flavor::WarningOrError, "unknown-cuda-version",
                                  diag::Severity::Ignored);
  driver::Driver driver("clang", llvm::sys::getDefaultTargetTriple(), diagnostics, "heddle",
                        std::move(files));
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);
  std::vector<const char *> words = {"clang", "-nostdinc", "-emit-llvm", "-c"};
  for (const std::string &flag : flags)
    words.push_back(flag.c_str());
  words.insert(words.end(), {"-o", "-", "--", input.c_str()});
  std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || compilation->containsError() || compilation->getJobs().empty())
    return nullptr;
  const driver::Command &job = *compilation->getJobs().begin();
  auto invocation = std::make_shared<CompilerInvocation>();
  ArrayRef<const char *> arguments(job.getArguments().data(), job.getArguments().size());
  if (!CompilerInvocation::CreateFromArgs(*invocation, arguments.drop_front(), diagnostics))
    return nullptr;
  setOptions(invocation->getFrontendOpts().LLVMArgs);
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getCodeGenOpts().DisableFree = false;
  return invocation;
}

/// Does what `Base` does of a source after our own checks of what was parsed.
template <typename Base> class Action : public Base {
public:
  Action(const SourceRequest &request, CompiledSource &result)
      : request_(request), result_(result), start_(Clock::now()) {}

private:
  /// Between parsing and code.
  class Watch : public ASTConsumer {
  public:
    explicit Watch(Action &action) : action_(action) {}
    void HandleTranslationUnit(ASTContext &) override {
      action_.result_.parseMilliseconds = millisecondsSince(action_.start_);
    }

  private:
    Action &action_;
  };

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &clang, StringRef file) override {
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    if (!request_.isDefaultDevice)
      consumers.push_back(refuseHostCode(clang));
    consumers.push_back(keepPrecompiledVariables(clang));
    consumers.push_back(nameExpressions(clang, request_.expressions, result_.names));
    consumers.push_back(std::make_unique<Watch>(*this));
    consumers.push_back(Base::CreateASTConsumer(clang, file));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

  const SourceRequest &request_;
  CompiledSource &result_;
  Clock::time_point start_;
};

class Compilation {
public:
  Compilation(const SourceRequest &request, const Toolkit &toolkit)
      : request_(request), toolkit_(toolkit),
        log_(request.source.name, hasFolders(), request.hasNumbers) {}

  CompiledSource run() {
    const Clock::time_point start = Clock::now();
    addFiles();
    result_.isGood = compile();
    result_.codeMilliseconds = millisecondsSince(start) - result_.parseMilliseconds;
    result_.log += log_.text();
    return std::move(result_);
  }

private:
  bool hasFolders() const {
    return llvm::any_of(request_.ownFlags, [](StringRef flag) { return flag.starts_with("-I"); });
  }

  void addFile(const std::string &path, StringRef text) {
    memory_->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  }

  void addFiles() {
    files_->pushOverlay(memory_); // which gives it the current folder
    for (const SourceText &header : request_.headers)
      addFile(headerPath(header.name), lineOf(header.name) + header.text);
  }

  bool compile() {
    DiagnosticOptions options;
    DiagnosticsEngine early(DiagnosticIDs::create(), options, &log_, /*ShouldOwnClient=*/false);
    Result<Prelude> prelude =
        preludeFor(request_.flags, toolkit_, [&](const auto &flags, const auto &input) {
          return invocationFor(flags, input, files_, early);
        });
    if (!prelude) {
      result_.log += prelude.error() + "\n";
      return false;
    }
    memory_->addFileNoOwn(PreludeFile, 0, prelude->bytes->getMemBufferRef());
    auto invoke = [&](const std::string &input, const std::string &behind) {
      return invocationOf(input, behind, early);
    };
    std::string precompiled = PreludeFile;
    const Hash128 key = optionsKey(prelude->bytes->getBuffer());
    const PrecompiledHeader own =
        ownHeader(key, [&](const std::string &input) { return invoke(input, PreludeFile); });
    if (own.bytes) {
      memory_->addFileNoOwn(PrecompiledFile, 0, own.bytes->getMemBufferRef());
      addDirectives(own.directives);
      precompiled = PrecompiledFile;
    }
    addFile(request_.source.name,
            withoutDirectives(request_.source.text, own.directives) + usesOf(request_.expressions));
    std::shared_ptr<CompilerInvocation> invocation = invoke(request_.source.name, precompiled);
    return invocation && compile(std::move(invocation));
  }

  std::shared_ptr<CompilerInvocation> invocationOf(const std::string &input,
                                                   const std::string &precompiled,
                                                   DiagnosticsEngine &diagnostics) const {
    std::vector<std::string> flags = request_.flags;
    flags.insert(flags.end(), request_.ownFlags.begin(), request_.ownFlags.end());
    flags.insert(flags.end(), {"-isystem", toolkit_.root + "/include"});
    if (request_.isDefaultDevice)
      flags.push_back(std::string("-D") + DefaultDeviceMacro);
    std::shared_ptr<CompilerInvocation> invocation =
        invocationFor(flags, input, files_, diagnostics);
    if (!invocation)
      return nullptr;
    PreprocessorOptions &preprocessor = invocation->getPreprocessorOpts();
    preprocessor.ImplicitPCHInclude = precompiled;
    preprocessor.Includes.insert(preprocessor.Includes.begin(), "heddle/rtc/end.h");
    return invocation;
  }

  //===-- Headers of the program, precompiled ----------------------------------------------------//

  /// Of all that decides what headers mean.
  Hash128 optionsKey(StringRef prelude) const {
    llvm::SmallString<128> folder;
    (void)llvm::sys::fs::current_path(folder);
    std::string words = std::string(folder) + '\0' + directivesPath(request_.source.name) + '\0' +
                        (request_.isDefaultDevice ? '1' : '0');
    for (const auto *flags : {&request_.flags, &request_.ownFlags})
      for (const std::string &flag : *flags)
        words += flag + '\0';
    for (const SourceText &header : request_.headers)
      words += header.name + '\0' + header.text + '\0';
    return hashOf({compilerVersion(), words, std::string_view(prelude.data(), prelude.size())});
  }

  std::string precompiledPath(StringRef name) const {
    if (llvm::sys::path::is_absolute(name) || request_.precompile.folder.empty())
      return name.str();
    llvm::SmallString<128> path(request_.precompile.folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }

  void tell(const char *what, const std::string &path) {
    if (request_.precompile.tells)
      result_.log += "\"" + request_.source.name + "\": " + what + " precompiled header file \"" +
                     path + "\"\n";
  }

  /// In a file of their own: a precompiled header is made of one.
  void addDirectives(size_t size) {
    addFile(directivesPath(request_.source.name), StringRef(request_.source.text).take_front(size));
  }

  /// The header of a file that fits, or one that is made now; without bytes: none.
  template <typename F> PrecompiledHeader ownHeader(const Hash128 &options, F &&invoke) {
    const PrecompileRequest &wanted = request_.precompile;
    const bool isAutomatic = wanted.isAutomatic && wanted.uses.empty() && wanted.creates.empty();
    const std::string automatic = llvm::sys::path::stem(request_.source.name).str() + ".pch";
    if (isAutomatic || !wanted.uses.empty()) {
      const std::string path = precompiledPath(isAutomatic ? automatic : wanted.uses);
      auto header = readPrecompiled(path, {options, request_.source.text}, *files_);
      if (header) {
        tell("using", path);
        return std::move(*header);
      }
      if (!isAutomatic || (wanted.tellsReasons && llvm::sys::fs::exists(path)))
        result_.log += request_.source.name + ": warning: " + header.error() + "\n\n";
    }
    if (isAutomatic || !wanted.creates.empty())
      return makeHeader(options, precompiledPath(isAutomatic ? automatic : wanted.creates), invoke);
    return {};
  }

  template <typename F>
  PrecompiledHeader makeHeader(const Hash128 &options, const std::string &path, F &&invoke) {
    const size_t size = endOfDirectives(request_.source.text);
    if (size == 0)
      return {};
    result_.precompiled = Precompiled::Failed;
    // What is wrong with the headers is said when they are compiled with the source.
    SourceLog log(request_.source.name, hasFolders(), request_.hasNumbers);
    addDirectives(size);
    auto invocation = invoke(directivesPath(request_.source.name));
    if (!invocation)
      return {};
    invocation->getLangOpts().PCHInstantiateTemplates = request_.precompile.instantiates;
    PrecompiledBytes made =
        precompile(std::move(invocation), files_, log, !request_.isDefaultDevice);
    if (made.bytes.empty())
      return {};
    result_.precompiledBytes = made.bytes.size();
    if (made.bytes.size() > request_.precompile.limit) {
      result_.precompiled = Precompiled::TooLarge;
      return {};
    }
    const StringRef directives = StringRef(request_.source.text).take_front(size);
    if (!writePrecompiled(path, options, directives, made, *files_)) {
      result_.log += request_.source.name + ": warning: cannot write precompiled header file \"" +
                     path + "\"\n\n";
      return {};
    }
    result_.precompiled = Precompiled::Made;
    tell("creating", path);
    result_.log += log.text();
    return {llvm::MemoryBuffer::getMemBufferCopy(made.bytes, PrecompiledFile), size};
  }

  bool compile(std::shared_ptr<CompilerInvocation> invocation) {
    CompilerInstance clang(std::move(invocation));
    clang.setVirtualFileSystem(files_);
    clang.createDiagnostics(&log_, /*ShouldOwnClient=*/false);
    llvm::SmallVector<char, 0> bitcode;
    clang.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bitcode));
    clang.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
    if (request_.checksOnly) {
      Action<SyntaxOnlyAction> action(request_, result_);
      return clang.ExecuteAction(action) && hasNames();
    }
    Action<EmitBCAction> action(request_, result_);
    if (!clang.ExecuteAction(action) || !hasNames())
      return false;
    result_.bitcode.assign(bitcode.begin(), bitcode.end());
    return true;
  }

  /// The source may have swallowed what stands behind it.
  bool hasNames() {
    const bool hasAll = result_.names.size() == request_.expressions.size();
    if (!hasAll)
      result_.log += request_.source.name + ": error: no expression can stand behind the source\n";
    return hasAll;
  }

  const SourceRequest &request_;
  const Toolkit &toolkit_;
  CompiledSource result_;
  SourceLog log_;
  IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory_ =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files_ =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
          llvm::vfs::createPhysicalFileSystem());
};

} // namespace

CompiledSource compileSource(const SourceRequest &request, const Toolkit &toolkit) {
  initialize();
  return Compilation(request, toolkit).run();
}

} // namespace heddle::cuda
