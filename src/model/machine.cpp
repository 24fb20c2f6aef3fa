// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/lowering.h"
#include "model/occupancy.h"

#include <algorithm>

namespace heddle::model {
namespace {

/// Operations of a block that a condition skips, for which the assembler makes no branch.
constexpr uint32_t MostPredicated = 6;
/// From 7.0 on: instructions of one arm or two, and accesses among them. What ptxas 13 makes of arms of
/// each length.
constexpr int MostPredicatedInstructions = 17, MostPredicatedAccesses = 4;

class Maker {
public:
  Maker(const KernelCode &kernel, const Gpu &gpu, int mostLive)
      : kernel_(kernel), gpu_(gpu), mostLive_(mostLive), fusion_(fuse(kernel, gpu)),
        meets_(findMeetings(kernel)), places_(placeConstants(kernel, fusion_, gpu)) {
    moved_.resize(kernel.blocks.size());
    for (uint32_t i = 0; i < places_.size(); ++i)
      if (places_[i] != None)
        moved_[places_[i]].push_back(i);
    code_.kernel = &kernel;
    code_.registerCount = static_cast<uint32_t>(kernel.registerBits.size());
    for (unsigned pipe = 0; pipe < PipeCount; ++pipe) {
      ticks_[pipe] = ticksOf(static_cast<Pipe>(pipe), gpu);
      latency_[pipe] = latencyOf(static_cast<Pipe>(pipe), gpu);
    }
  }

  MachineCode run() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      code_.runsWith.push_back(b);
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      for (uint32_t arm : predicatedArms(b))
        code_.runsWith[arm] = code_.runsWith[b];
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      addBlock(b);
    code_.pressure = pressureOf(code_, fusion_) + overhead();
    return std::move(code_);
  }

private:
  /// The stack pointer; pairs that begin at an even register; from 7.0 on two of the hardware's.
  /// [fit] on what ptxas tells of the kernels of bench/.
  int overhead() const { return gpu_.major < 2 ? 1 : gpu_.major < 7 ? 3 : 5; }

  void addBlock(uint32_t b) {
    std::vector<MachineInstruction> block;
    if (b == 0) // the stack pointer, and from 8.0 on the descriptor of global memory
      addSteps(
          nothing(),
          {{Pipe::Integer,
            uint8_t((gpu_.major >= 2) + (gpu_.major >= 8 && !kernel_.accesses.empty())), false}},
          nullptr, block);
    for (uint32_t i : moved_[b])
      addOperation(i, b, block);
    const CodeBlock &code = kernel_.blocks[b];
    for (uint32_t i = code.first; i < code.first + code.count; ++i)
      if (places_[i] == None)
        addOperation(i, b, block);
    schedule(block, kernel_, gpu_.major < 2 ? 12 : gpu_.major < 4 ? 40 : 64, mostLive_);
    code_.blocks.push_back(
        {static_cast<uint32_t>(code_.instructions.size()), static_cast<uint32_t>(block.size())});
    code_.instructions.insert(code_.instructions.end(), block.begin(), block.end());
  }

  void addOperation(uint32_t i, uint32_t b, std::vector<MachineInstruction> &block) {
    if (fusion_.isGone[i])
      return;
    const CodeOperation &op = kernel_.operations[i];
    const CodeOperation *maker =
        fusion_.maker[i] == None ? nullptr : &kernel_.operations[fusion_.maker[i]];
    if (op.operation == Operation::Branch)
      addSteps(op, {{Pipe::Branch, uint8_t(branchInstructions(b)), false}}, nullptr, block);
    else
      addSteps(op, stepsOf(op, gpu_, maker), maker, block);
  }

  /// Past blocks that only lead on.
  uint32_t follow(uint32_t b) const {
    for (unsigned steps = 0; steps < 8 && b < kernel_.successors.size(); ++steps) {
      if (kernel_.blocks[b].count || kernel_.successors[b].size() != 1)
        break;
      b = kernel_.successors[b][0];
    }
    return b;
  }

  bool isOnlyExit(uint32_t b) const {
    const CodeBlock &code = kernel_.blocks[b];
    return code.count == 1 && (kernel_.operations[code.first].operation == Operation::Return ||
                               kernel_.operations[code.first].operation == Operation::Exit);
  }

  struct Length {
    uint32_t operations = 0;
    int instructions = 0, accesses = 0;
  };

  /// Adds up a block that its predecessor's condition can be a predicate for, with what its own condition
  /// is one for. False if it cannot, or goes on elsewhere than at `joined`.
  bool addArm(uint32_t b, uint32_t joined, Length &length) const {
    const CodeBlock &code = kernel_.blocks[b];
    for (uint32_t i = code.first; i < code.first + code.count; ++i) {
      const Operation operation = kernel_.operations[i].operation;
      const bool isAtomic = operation == Operation::Atomic || operation == Operation::Reduce;
      if (operation == Operation::Barrier || operation == Operation::Call ||
          operation == Operation::Divide || operation == Operation::Shuffle ||
          (isAtomic && gpu_.major >= 7))
        return false;
    }
    addLength(b, length);
    const std::vector<uint32_t> &next = kernel_.successors[b];
    if (next.size() == 1)
      return follow(next[0]) == joined;
    if (next.size() != 2)
      return false;
    const bool isFirstIn = follow(next[1]) == joined;
    const uint32_t within = next[isFirstIn ? 0 : 1];
    return (isFirstIn || follow(next[0]) == joined) && within > b && kernel_.blocks[within].count &&
           addArm(within, joined, length);
  }

  bool fits(Length length) const {
    return gpu_.major < 7 ? length.operations <= MostPredicated
                          : length.instructions <= MostPredicatedInstructions &&
                                length.accesses <= MostPredicatedAccesses;
  }
  /// Of a block without its branch.
  void addLength(uint32_t b, Length &length) const {
    const CodeBlock &code = kernel_.blocks[b];
    for (uint32_t i = code.first; i < code.first + code.count; ++i) {
      const CodeOperation &op = kernel_.operations[i];
      if (fusion_.isGone[i] || op.operation == Operation::Branch)
        continue;
      const uint32_t maker = fusion_.maker[i];
      for (const Step &step :
           stepsOf(op, gpu_, maker == None ? nullptr : &kernel_.operations[maker]))
        length.instructions += step.count;
      length.accesses += op.access != None;
    }
    length.operations += code.count;
  }
  /// Blocks behind b that its condition is a predicate for: one that is skipped, or two of which one runs.
  std::vector<uint32_t> predicatedArms(uint32_t b) const {
    if (b >= kernel_.successors.size() || kernel_.successors[b].size() != 2)
      return {};
    const uint32_t one = kernel_.successors[b][0], other = kernel_.successors[b][1];
    for (auto [arm, rest] : {std::pair(one, other), std::pair(other, one)})
      if (Length length;
          arm > b && kernel_.blocks[arm].count && addArm(arm, follow(rest), length) && fits(length))
        return {arm};
    auto joined = [&](uint32_t arm) {
      return kernel_.successors[arm].size() == 1 ? follow(kernel_.successors[arm][0]) : None;
    };
    Length first, second;
    if (one > b && other > b && joined(one) != None && joined(one) == joined(other) &&
        addArm(one, joined(one), first) && addArm(other, joined(one), second)) {
      if (gpu_.major < 7 ? fits(first) && fits(second)
                         : fits({0, first.instructions + second.instructions,
                                 first.accesses + second.accesses}))
        return {one, other};
    }
    return {};
  }

  /// The way back of a loop whose condition is in the block before: that block's branch goes back itself.
  bool isSplitLatch(uint32_t b) const {
    if (kernel_.successors[b][0] > b)
      return false;
    uint32_t only = None, count = 0;
    for (uint32_t p = 0; p < kernel_.successors.size(); ++p)
      for (uint32_t next : kernel_.successors[p])
        if (next == b)
          only = p, ++count;
    return count == 1 && only != b && kernel_.successors[only].size() == 2;
  }

  bool reaches(uint32_t from, uint32_t to) const {
    std::vector<bool> isSeen(kernel_.successors.size());
    std::vector<uint32_t> left = {from};
    while (!left.empty()) {
      const uint32_t at = left.back();
      left.pop_back();
      if (at == to)
        return true;
      if (at >= isSeen.size() || isSeen[at])
        continue;
      isSeen[at] = true;
      left.insert(left.end(), kernel_.successors[at].begin(), kernel_.successors[at].end());
    }
    return false;
  }

  /// One way goes on in a loop that the other leaves.
  bool leavesLoop(uint32_t b) const {
    const std::vector<uint32_t> &next = kernel_.successors[b];
    return reaches(next[0], b) != reaches(next[1], b);
  }

  int branchInstructions(uint32_t b) const {
    if (b >= kernel_.successors.size())
      return 1;
    const std::vector<uint32_t> &next = kernel_.successors[b];
    if (code_.runsWith[b] != b && next.size() < 2)
      return 0;
    if (next.size() < 2)
      return next.size() == 1 && (next[0] == b + 1 || isSplitLatch(b)) ? 0 : 1;
    const uint32_t target = next[0] == b + 1 ? next[1] : next[0];
    if (target <= b || isOnlyExit(follow(target)) || isOnlyExit(follow(b + 1)))
      return 1;
    if (!predicatedArms(b).empty())
      return 0;
    if (gpu_.major >= 7 && leavesLoop(b)) // lanes meet behind the loop
      return 1;
    // Where lanes meet again is told before the branch: SSY, and from 7.0 on BSSY and BSYNC.
    const bool isUniform =
        kernel_.operations[kernel_.blocks[b].first + kernel_.blocks[b].count - 1].flags &
        IsUniformBranch;
    if (gpu_.major >= 7)
      return meets_[b] ? 3 : 1;
    return isUniform || gpu_.major < 2 ? 1 : 2;
  }

  uint32_t named(uint32_t reg) const { return reg == None ? None : fusion_.copyOf[reg]; }

  void addSources(MachineInstruction &to, const CodeOperation &op, const CodeOperation *maker) {
    unsigned count = 0;
    auto add = [&](uint32_t reg) {
      reg = named(reg);
      if (reg == None || fusion_.isFree[reg] || count == 5)
        return;
      to.sources[count++] = reg;
    };
    for (uint32_t source : op.sources)
      if (!maker || std::ranges::find(maker->results, source) == std::end(maker->results))
        add(source);
    if (maker)
      for (uint32_t source : maker->sources)
        add(source);
  }

  void addSteps(const CodeOperation &op, const Steps &steps, const CodeOperation *maker,
                std::vector<MachineInstruction> &block) {
    uint32_t previous = None;
    const size_t begin = block.size();
    auto isMemory = [](const Step &step) {
      return step.pipe == Pipe::Memory || step.pipe == Pipe::Texture;
    };
    size_t accesses = static_cast<size_t>(std::ranges::count_if(steps, isMemory));
    for (const Step &step : steps) {
      const bool isAccess = isMemory(step) && --accesses == 0; // the last one is the access
      for (unsigned n = 0; n < step.count; ++n) {
        MachineInstruction in = blank(op.operation, step);
        if (block.size() == begin || !step.isChain || previous == None)
          addSources(in, op, maker);
        if (step.isChain && previous != None)
          in.sources[5] = previous;
        in.access = isAccess ? op.access : None;
        in.base = isAccess ? named(op.sources[0]) : None;
        in.offset = op.offset;
        in.line = op.line;
        in.results[0] = previous = code_.registerCount++;
        block.push_back(in);
      }
    }
    if (block.size() == begin)
      return;
    --code_.registerCount;
    MachineInstruction &last = block.back();
    last.held = op.operation == Operation::MatrixMultiply ? 0 : op.work;
    for (unsigned r = 0; r < 4; ++r)
      last.results[r] = named(op.results[r]);
  }

  static CodeOperation nothing() {
    CodeOperation op{};
    op.operation = Operation::Other;
    std::ranges::fill(op.results, None);
    std::ranges::fill(op.sources, None);
    op.access = op.line = None;
    return op;
  }

  MachineInstruction blank(Operation operation, const Step &step) const {
    MachineInstruction in{};
    in.operation = operation;
    in.pipe = step.pipe;
    in.latency = latency_[static_cast<unsigned>(step.pipe)];
    in.ticks = ticks_[static_cast<unsigned>(step.pipe)] * step.slots;
    for (uint32_t &r : in.results)
      r = None;
    for (uint32_t &s : in.sources)
      s = None;
    in.access = in.line = None;
    return in;
  }

  const KernelCode &kernel_;
  const Gpu &gpu_;
  const int mostLive_; ///< values of a block for which loads go first
  const Fusion fusion_;
  const std::vector<uint8_t> meets_;         ///< by block
  const std::vector<uint32_t> places_;       ///< by operation
  std::vector<std::vector<uint32_t>> moved_; ///< to each block
  MachineCode code_;
  uint32_t ticks_[PipeCount];
  uint16_t latency_[PipeCount];
};

/// Assemblers put loads first as long as registers are left. From 7.0 on they do so up to more values, but
/// for the sake of warps give some of it up where a multiprocessor then is full. [fit] on what ncu
/// and ptxas tell of the kernels of bench/.
MachineCode scheduled(const KernelCode &kernel, const Gpu &gpu) {
  if (gpu.major < 7)
    return Maker(kernel, gpu, 14).run();
  const Architecture &a = gpu.architecture();
  const int full = a.registersPerSm / (a.warpsPerSm * 32);
  MachineCode loose = Maker(kernel, gpu, 20).run();
  for (int mostLive : {14, 10, 6})
    if (loose.pressure > full && loose.pressure <= full + full / 2)
      if (MachineCode tight = Maker(kernel, gpu, mostLive).run(); tight.pressure <= full)
        return tight;
  return loose;
}

/// The most that launch bounds leave to a thread.
int limitOf(const KernelCode &kernel, const Gpu &gpu, int maxThreads, int minBlocks) {
  const Architecture &a = gpu.architecture();
  int limit = a.registersPerThread;
  if (kernel.maxRegisters)
    limit = std::min(limit, static_cast<int>(kernel.maxRegisters));
  if (maxThreads > 0) {
    const int threads = std::min(maxThreads, a.threadsPerBlock), blocks = std::max(1, minBlocks);
    while (limit > 16 && blocksByRegisters(a, {threads, limit, 0, 0}) < blocks)
      limit = (limit - 1) / 8 * 8;
  }
  return limit;
}

} // namespace

std::string_view nameOf(Pipe pipe) {
  static constexpr std::string_view names[PipeCount] = {
      "none",      "single precision", "double precision", "half precision", "special functions",
      "integer",   "integer",          "multiplier",       "shift",          "compare",
      "bit count", "convert",          "convert",          "convert 64",     "tensor",
      "shuffle",   "barrier",          "branch",           "load and store", "texture"};
  return names[static_cast<unsigned>(pipe)];
}

MachineCode makeMachineCode(const KernelCode &kernel, const Gpu &gpu, int maxThreads,
                            int minBlocks) {
  MachineCode code = scheduled(kernel, gpu);
  const int limit = limitOf(kernel, gpu, maxThreads, minBlocks);
  code.registers = std::min(code.pressure, limit);
  code.spillBytes = static_cast<uint32_t>(code.pressure - code.registers) * 4;
  return code;
}

} // namespace heddle::model
