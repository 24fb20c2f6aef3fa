// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled headers of a program (NVRTC guide, "Precompiled Headers"): the directives that a source
// begins with are compiled alone, behind our own headers (prelude.h), and the source follows with its
// directives blanked. A file is lines of text, then clang's bytes:
//
//     heddle precompiled header
//     <hash of the options> <size and hash of the directives>
//     <number of files>, and for each: <size> <time> <path>
//     <size and hash of the bytes>
//
// clang would end with an error where a file has changed; here that is only a reason to do without.
#include "frontend/cuda/precompiled.h"

#include "frontend/cuda/execution_spaces.h"
#include "frontend/cuda/program_headers.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/ASTWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace heddle::cuda {

namespace {

constexpr StringRef Magic = "heddle precompiled header";
constexpr StringRef DirectivesName = "heddle-directives.h";

Hash128 hashOfText(StringRef text) { return hashOf({std::string_view(text.data(), text.size())}); }

/// The words of a directive whose # was read; `token` becomes what follows on the next line.
SmallVector<std::string, 3> readDirective(Lexer &lexer, Token &token) {
  SmallVector<std::string, 3> words;
  do {
    if (token.is(tok::raw_identifier) && words.size() < 3)
      words.push_back(token.getRawIdentifier().str());
    lexer.LexFromRawLexer(token);
  } while (token.isNot(tok::eof) && !token.isAtStartOfLine());
  return words;
}

/// Keeps what is written, and says what it was made of.
class HeaderAction : public GeneratePCHAction {
public:
  explicit HeaderAction(bool refusesHostCode) : refusesHostCode_(refusesHostCode) {}
  std::shared_ptr<PCHBuffer> buffer = std::make_shared<PCHBuffer>();
  std::vector<std::string> inputs;

private:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &clang, StringRef) override {
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    if (refusesHostCode_)
      consumers.push_back(refuseHostCode(clang));
    consumers.push_back(std::make_unique<PCHGenerator>(
        clang.getPreprocessor(), clang.getModuleCache(), PrecompiledFile, "", buffer,
        clang.getCodeGenOpts(), clang.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

  void EndSourceFileAction() override {
    const SourceManager &sources = getCompilerInstance().getSourceManager();
    for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it)
      inputs.push_back(it->first.getName().str());
    llvm::sort(inputs);
    GeneratePCHAction::EndSourceFileAction();
  }

  bool refusesHostCode_;
};

std::string stateOf(const std::string &path, llvm::vfs::FileSystem &files) {
  auto status = files.status(path);
  return !status ? ""
                 : std::to_string(status->getSize()) + " " +
                       std::to_string(status->getLastModificationTime().time_since_epoch().count());
}

/// Takes lines and numbers off the front of a text.
class Fields {
public:
  explicit Fields(StringRef text) : rest_(text) {}

  StringRef line() {
    auto [first, rest] = rest_.split('\n');
    rest_ = rest;
    return first;
  }
  StringRef rest() const { return rest_; }

private:
  StringRef rest_;
};

/// "<size> <hash>" of a text.
std::string sealOf(StringRef text) {
  return std::to_string(text.size()) + " " + hashOfText(text).text();
}

} // namespace

size_t endOfDirectives(StringRef source) {
  LangOptions language;
  language.CPlusPlus = true;
  const std::string text = source.str(); // with a zero behind it
  Lexer lexer(SourceLocation(), language, text.data(), text.data(), text.data() + text.size());
  lexer.SetCommentRetentionState(false);
  Token token;
  lexer.LexFromRawLexer(token);
  unsigned depth = 0;
  bool brings = false; // at least one header
  size_t end = 0;
  auto offset = [&] {
    return token.is(tok::eof)
               ? text.size()
               : static_cast<size_t>(lexer.getBufferLocation() - text.data()) - token.getLength();
  };
  while (token.is(tok::hash) && token.isAtStartOfLine()) {
    const size_t start = offset();
    SmallVector<std::string, 3> words = readDirective(lexer, token);
    const StringRef name = words.empty() ? StringRef() : StringRef(words[0]);
    const StringRef what = words.size() > 1 ? StringRef(words[1]) : StringRef();
    if (name == "pragma" && what == "no_pch")
      return 0;
    if (name == "pragma" && what == "hdrstop")
      return depth == 0 && brings ? start : end;
    brings |= name == "include";
    depth += name == "if" || name == "ifdef" || name == "ifndef";
    depth -= name == "endif" && depth > 0;
    if (depth == 0 && brings) // up to the end of the line
      end = text.rfind('\n', offset() == text.size() ? text.npos : offset()) + 1;
  }
  return end;
}

std::string withoutDirectives(StringRef source, size_t size) {
  std::string text = source.str();
  for (char &c : MutableArrayRef<char>(text.data(), size))
    if (c != '\n')
      c = ' ';
  return text;
}

std::string directivesPath(StringRef source) {
  llvm::SmallString<128> path(source);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, DirectivesName);
  return std::string(path);
}

bool isDirectivesPath(StringRef name) { return name.ends_with(DirectivesName); }

PrecompiledBytes precompile(std::shared_ptr<CompilerInvocation> invocation,
                            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                            DiagnosticConsumer &log, bool refusesHostCode) {
  CompilerInstance clang(std::move(invocation));
  clang.setVirtualFileSystem(std::move(files));
  clang.createDiagnostics(&log, /*ShouldOwnClient=*/false);
  clang.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  HeaderAction action(refusesHostCode);
  if (!clang.ExecuteAction(action) || !action.buffer->IsComplete)
    return {};
  return {std::string(action.buffer->Data.begin(), action.buffer->Data.end()), action.inputs};
}

bool writePrecompiled(const std::string &path, const Hash128 &options, StringRef directives,
                      const PrecompiledBytes &made, llvm::vfs::FileSystem &files) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << Magic << '\n' << options.text() << ' ' << sealOf(directives) << '\n';
  std::string inputs;
  size_t count = 0;
  for (const std::string &input : made.inputs)
    if (std::string state = stateOf(input, files);
        !state.empty() && !isDirectivesPath(input) && input.find('\n') == input.npos) {
      inputs += state + " " + input + "\n";
      ++count;
    }
  stream << count << '\n' << inputs << sealOf(made.bytes) << '\n' << made.bytes;
  // Others may read the file: it is there as a whole or not at all.
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &file) -> llvm::Error {
    file << text;
    return llvm::Error::success();
  });
  const bool isWritten = !error;
  llvm::consumeError(std::move(error));
  return isWritten;
}

Result<PrecompiledHeader> readPrecompiled(const std::string &path, const PrecompiledKey &key,
                                          llvm::vfs::FileSystem &files) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return Failure{"cannot open precompiled header input file \"" + path + "\""};
  const Failure isDamaged{"\"" + path + "\" is not a valid precompiled header file"};
  Fields fields((*file)->getBuffer());
  if (fields.line() != Magic)
    return isDamaged;
  auto [options, seal] = fields.line().split(' ');
  if (options != key.options.text())
    return Failure{"the command line options do not match those used when precompiled header file "
                   "\"" +
                   path + "\" was created"};
  size_t size, count;
  if (seal.split(' ').first.getAsInteger(10, size))
    return isDamaged;
  if (size > key.source.size() || sealOf(key.source.take_front(size)) != seal)
    return Failure{"the initial sequence of preprocessing directives is not compatible with those "
                   "of precompiled header file \"" +
                   path + "\""};
  if (fields.line().getAsInteger(10, count))
    return isDamaged;
  for (; count; --count) {
    auto [bytes, rest] = fields.line().split(' ');
    auto [time, input] = rest.split(' ');
    if (input.empty())
      return isDamaged;
    if (stateOf(input.str(), files) != (bytes + " " + time).str())
      return Failure{"header files used to generate precompiled header file \"" + path +
                     "\" have changed"};
  }
  const StringRef expected = fields.line();
  if (sealOf(fields.rest()) != expected)
    return isDamaged;
  return PrecompiledHeader{llvm::MemoryBuffer::getMemBufferCopy(fields.rest(), PrecompiledFile),
                           size};
}

} // namespace heddle::cuda
