// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of publications, written as the compiler would have them, and what their warps do. Longer than
// usual: one function for each kind of kernel, in the order of the table at the end.
#include "model/test_kernels.h"

#include <algorithm>

namespace heddle::model::test {

using enum Operation;
constexpr ValueKind Integer = ValueKind::Integer, Float = ValueKind::Float;

CodeOperation CodeWriter::blank(Operation operation) const {
  CodeOperation op{};
  op.operation = operation;
  std::ranges::fill(op.results, None);
  std::ranges::fill(op.sources, None);
  op.access = None;
  op.line = 0;
  op.elements = 1;
  return op;
}

CodeOperation &CodeWriter::push(const CodeOperation &op) {
  if (code_.blocks.empty())
    block();
  code_.operations.push_back(op);
  ++code_.blocks.back().count;
  return code_.operations.back();
}

uint32_t CodeWriter::block() {
  code_.blocks.push_back({static_cast<uint32_t>(code_.operations.size()), 0});
  code_.successors.emplace_back();
  return static_cast<uint32_t>(code_.blocks.size()) - 1;
}

void CodeWriter::jump(uint32_t block, std::initializer_list<uint32_t> successors) {
  code_.successors[block].assign(successors);
}

uint32_t CodeWriter::reg(unsigned bits) {
  code_.registerBits.push_back(static_cast<uint8_t>(bits));
  return static_cast<uint32_t>(code_.registerBits.size()) - 1;
}

uint32_t CodeWriter::parameter(unsigned bits) {
  CodeOperation op = blank(Parameter);
  op.bits = static_cast<uint8_t>(bits);
  op.results[0] = reg(bits);
  return push(op).results[0];
}

void CodeWriter::into(uint32_t result, Operation operation, ValueKind kind, unsigned bits,
                      std::initializer_list<uint32_t> sources, unsigned flags) {
  CodeOperation op = blank(operation);
  op.kind = kind;
  op.bits = static_cast<uint8_t>(bits);
  op.flags = static_cast<uint16_t>(flags);
  op.results[0] = result;
  std::ranges::copy(sources, op.sources);
  push(op);
}

uint32_t CodeWriter::make(Operation operation, ValueKind kind, unsigned bits,
                          std::initializer_list<uint32_t> sources, unsigned flags) {
  const unsigned wide = flags & IsWide ? 2 : 1;
  const uint32_t result = reg(operation == Compare ? 1 : bits * wide);
  into(result, operation, kind, bits, sources, flags);
  return result;
}

uint32_t CodeWriter::load(Space space, unsigned bytes, uint32_t address, unsigned flags) {
  CodeOperation op = blank(Load);
  op.kind = Float, op.bits = static_cast<uint8_t>(std::min(bytes, 4u) * 8), op.space = space;
  op.flags = static_cast<uint16_t>(flags);
  op.results[0] = reg(bytes * 8 > 128 ? 128 : bytes * 8);
  op.sources[0] = address;
  op.access = static_cast<uint32_t>(code_.accesses.size());
  code_.accesses.push_back({Load, space, bytes, op.flags, 0});
  return push(op).results[0];
}

void CodeWriter::store(Space space, unsigned bytes, uint32_t address, uint32_t value,
                       Operation operation) {
  CodeOperation op = blank(operation);
  op.bits = 32, op.space = space;
  op.sources[0] = address, op.sources[1] = value;
  op.access = static_cast<uint32_t>(code_.accesses.size());
  code_.accesses.push_back({operation, space, bytes, 0, 0});
  push(op);
}

void CodeWriter::simple(Operation operation, unsigned flags) {
  CodeOperation op = blank(operation);
  op.flags = static_cast<uint16_t>(flags);
  push(op);
}

uint32_t CodeWriter::address(uint32_t base, uint32_t index) {
  const uint32_t offset =
      make(Multiply, Integer, 32, {index}, IsWide | HasImmediate | IsSigned | IsAddress);
  return make(Add, Integer, 64, {base, offset}, IsAddress);
}

uint32_t CodeWriter::globalIndex() {
  const uint32_t thread = make(SpecialRegister, Integer, 32, {});
  const uint32_t block = make(SpecialRegister, Integer, 32, {});
  const uint32_t size = make(SpecialRegister, Integer, 32, {}, HasImmediate);
  return make(MultiplyAdd, Integer, 32, {block, size, thread});
}

void CodeWriter::guard(uint32_t index) {
  const uint32_t n = parameter(32);
  const uint32_t out = make(Compare, Integer, 32, {index, n});
  CodeOperation op = blank(Branch);
  op.flags = IsPredicated;
  op.sources[3] = out;
  push(op);
}

KernelCode CodeWriter::take() {
  code_.lines.push_back({"kernel", 1, "kernel"});
  return std::move(code_);
}

void TraceWriter::start(uint32_t number, uint32_t lanes, int32_t stride) {
  trace_.events.push_back(
      {EventKind::Access, number, lanes, static_cast<uint32_t>(trace_.addresses.size()), stride});
}

void TraceWriter::block(uint32_t number, uint32_t lanes) {
  trace_.events.push_back({EventKind::Block, number, lanes, 0, 0});
}

void TraceWriter::access(uint32_t number, uint64_t first, int32_t stride, uint32_t lanes) {
  start(number, lanes, stride);
  trace_.addresses.push_back(first);
}

Traces TestKernel::traces() const {
  return [this](uint64_t block) {
    BlockTrace trace;
    trace.block = block;
    trace.warps.resize(shape.warps());
    for (unsigned warp = 0; warp < shape.warps(); ++warp)
      write(block, warp, TraceWriter(trace.warps[warp]));
    return trace;
  };
}

namespace {

/// Arrays that do not meet.
constexpr uint64_t arrayAt(unsigned number) { return (uint64_t(number) + 1) << 36; }

class Reader {
public:
  explicit Reader(const Arguments &arguments) : arguments_(arguments) {}
  uint64_t operator()(const char *name, double otherwise) const {
    auto found = arguments_.find(name);
    return static_cast<uint64_t>(found == arguments_.end() ? otherwise : found->second);
  }

private:
  const Arguments &arguments_;
};

/// Two blocks: one that ends where the index is too large, and the work; then the end.
void finish(CodeWriter &w, uint32_t work) {
  const uint32_t out = w.block();
  w.simple(Return);
  w.jump(0, {work, out});
  w.jump(work, {out});
}

/// y[i] = f(x0[i], x1[i], ...): bytes (of an element), reads, writes, n, block, ilp (elements of a
/// thread, a block's width apart), offset and stride of all arrays (in elements), flops (of a thread
/// and element), grid (threads go on in strides of the grid; 0: as many blocks as elements need),
/// shared (bytes that are taken only to have fewer blocks), readonly.
TestKernel makeStream(const Reader &a) {
  const auto bytes = static_cast<unsigned>(a("bytes", 4)), reads = unsigned(a("reads", 1)),
             writes = unsigned(a("writes", 1)), ilp = unsigned(a("ilp", 1)),
             flops = unsigned(a("flops", 1)), pad = unsigned(a("pad", 0));
  const uint64_t n = a("n", 1 << 24), threads = a("block", 256), offset = a("offset", 0),
                 stride = a("stride", 1), grid = a("grid", 0);
  const bool isInPlace = a("inplace", 0), isLoop = grid > 0;
  const ValueKind kind = a("int", 0) ? Integer : Float;
  const unsigned flags = a("readonly", 0) ? IsReadOnly : 0;
  CodeWriter w;
  w.block();
  std::vector<uint32_t> bases;
  for (unsigned i = 0; i < reads + writes; ++i)
    bases.push_back(w.parameter());
  const uint32_t index = w.globalIndex();
  w.guard(index);
  const uint32_t work = w.block();
  std::vector<uint32_t> loads, stores;
  std::vector<uint32_t> sums;
  for (unsigned e = 0; e < ilp; ++e) {
    uint32_t sum = None;
    for (unsigned r = 0; r < reads; ++r) {
      const uint32_t value = w.load(Space::Global, bytes, w.address(bases[r], index), flags);
      loads.push_back(w.lastAccess());
      sum = w.make(sum == None ? Multiply : MultiplyAdd, kind, bytes == 8 ? 64 : 32,
                   sum == None ? std::initializer_list<uint32_t>{value}
                               : std::initializer_list<uint32_t>{sum, value, value});
    }
    for (unsigned f = 1; f < flops; ++f)
      sum = w.make(MultiplyAdd, kind, bytes == 8 ? 64 : 32, {sum, sum, sum});
    sums.push_back(sum);
  }
  for (unsigned e = 0; e < ilp; ++e)
    for (unsigned r = 0; r < writes; ++r) {
      w.store(Space::Global, bytes, w.address(bases[isInPlace ? 0 : reads + r], index), sums[e]);
      stores.push_back(w.lastAccess());
    }
  if (isLoop) {
    w.into(index, Add, Integer, 32, {index}, HasImmediate);
    w.guard(index);
  }
  finish(w, work);
  if (isLoop)
    w.jump(work, {work, work + 1});
  TestKernel kernel;
  kernel.code = w.take();
  const uint64_t perBlock = threads * ilp;
  const auto blocks = static_cast<uint32_t>(isLoop ? grid : (n + perBlock - 1) / perBlock);
  kernel.shape = {{blocks, 1, 1}, {unsigned(threads), 1, 1}, unsigned(a("shared", 0))};
  kernel.bytes = double(n) * bytes * (reads + writes);
  kernel.operations = double(n) * flops * 2;
  const uint64_t pitch = pad ? pad : bytes;
  const uint64_t rounds = isLoop ? (n + grid * perBlock - 1) / (grid * perBlock) : 1;
  kernel.write = [=](uint64_t block, unsigned warp, TraceWriter t) {
    t.block(0);
    for (uint64_t round = 0; round < rounds; ++round) {
      const uint64_t first = (round * grid + block) * perBlock;
      if (first >= n)
        break;
      t.block(work);
      for (unsigned e = 0; e < ilp; ++e) {
        const uint64_t i = (first + e * threads + warp * 32) * stride + offset;
        const auto lanes = threads >= 32 ? ~0u : (1u << threads) - 1;
        for (unsigned r = 0; r < reads; ++r)
          t.access(loads[e * reads + r], arrayAt(r) + i * pitch, int32_t(stride * pitch), lanes);
        for (unsigned r = 0; r < writes; ++r)
          t.access(stores[e * writes + r], arrayAt(isInPlace ? 0 : reads + r) + i * pitch,
                   int32_t(stride * pitch), lanes);
      }
    }
    t.block(work + 1);
  };
  return kernel;
}

/// Matrices of n x n floats in tiles of tile x tile by blocks of tile x rows threads. kind: 0 copy, 1
/// copy through shared memory, 2 naive (reads rows), 3 coalesced with bank conflicts, 4 padded, 5
/// padded with diagonal blocks, 6 naive (writes rows).
TestKernel makeTranspose(const Reader &a) {
  const uint64_t n = a("n", 1024), tile = a("tile", 32), rows = a("rows", 8), kind = a("kind", 0);
  const auto steps = unsigned(tile / rows);
  const bool isShared = kind == 1 || kind >= 3, isShared2 = isShared && kind != 6;
  CodeWriter w;
  w.block();
  const uint32_t in = w.parameter(), out = w.parameter();
  const uint32_t tx = w.make(SpecialRegister, Integer, 32, {}),
                 ty = w.make(SpecialRegister, Integer, 32, {}),
                 bx = w.make(SpecialRegister, Integer, 32, {}),
                 by = w.make(SpecialRegister, Integer, 32, {});
  const uint32_t x = w.make(MultiplyAdd, Integer, 32, {bx, tx}),
                 y = w.make(MultiplyAdd, Integer, 32, {by, ty});
  const uint32_t width = w.parameter(32);
  uint32_t row = w.make(MultiplyAdd, Integer, 32, {y, width, x});
  if (kind == 5)
    for (int i = 0; i < 2; ++i)
      row = w.make(Remainder, Integer, 32, {row, width});
  std::vector<uint32_t> loads, puts, gets, stores, values;
  for (unsigned s = 0; s < steps; ++s) {
    values.push_back(w.load(Space::Global, 4, w.address(in, row)));
    loads.push_back(w.lastAccess());
    if (s + 1 < steps)
      row = w.make(Add, Integer, 32, {row, width});
  }
  if (isShared2) {
    const uint32_t place = w.make(MultiplyAdd, Integer, 32, {ty, tx});
    for (unsigned s = 0; s < steps; ++s) {
      w.store(Space::Shared, 4, place, values[s]);
      puts.push_back(w.lastAccess());
    }
    w.simple(Barrier);
    const uint32_t other = w.make(MultiplyAdd, Integer, 32, {tx, ty});
    for (unsigned s = 0; s < steps; ++s) {
      values[s] = w.load(Space::Shared, 4, other);
      gets.push_back(w.lastAccess());
    }
  }
  uint32_t to = w.make(MultiplyAdd, Integer, 32, {x, width, y});
  for (unsigned s = 0; s < steps; ++s) {
    w.store(Space::Global, 4, w.address(out, to), values[s]);
    stores.push_back(w.lastAccess());
    if (s + 1 < steps)
      to = w.make(Add, Integer, 32, {to, width});
  }
  w.simple(Return);
  TestKernel kernel;
  kernel.code = w.take();
  kernel.code.staticShared = isShared2 ? unsigned(tile * (tile + (kind >= 4)) * 4) : 0;
  const auto side = unsigned(n / tile);
  kernel.shape = {{side, side, 1}, {unsigned(tile), unsigned(rows), 1}};
  kernel.bytes = double(n) * double(n) * 8;
  const uint64_t perWarp = 32 / tile; // rows of a warp
  kernel.write = [=](uint64_t block, unsigned warp, TraceWriter t) {
    uint64_t bx = block % side, by = block / side;
    if (kind == 5) {
      const uint64_t x = bx;
      bx = (bx + by) % side, by = x;
    }
    t.block(0);
    auto lane = [&](unsigned l) { return std::pair(l % tile, warp * perWarp + l / tile); };
    auto at = [&](uint64_t x, uint64_t y) { return (y * n + x) * 4; };
    auto emit = [&](uint32_t access, auto &&address) {
      const uint64_t a0 = address(0), a1 = address(1);
      const auto stride = int64_t(a1 - a0);
      bool isRegular = stride > INT32_MIN / 2 && stride < INT32_MAX / 2;
      for (unsigned l = 2; l < 32 && isRegular; ++l)
        isRegular = int64_t(address(l) - a0) == stride * l;
      if (isRegular)
        t.access(access, a0, int32_t(stride));
      else
        t.gather(access, address);
    };
    const uint64_t pitch = tile + (kind >= 4);
    for (unsigned s = 0; s < steps; ++s)
      emit(loads[s], [&](unsigned l) {
        auto [x, y] = lane(l);
        return kind == 6 ? arrayAt(0) + at(by * tile + y + s * rows, bx * tile + x)
                         : arrayAt(0) + at(bx * tile + x, by * tile + y + s * rows);
      });
    for (unsigned s = 0; s < puts.size(); ++s)
      emit(puts[s], [&](unsigned l) {
        auto [x, y] = lane(l);
        return ((y + s * rows) * pitch + x) * 4;
      });
    for (unsigned s = 0; s < gets.size(); ++s)
      emit(gets[s], [&](unsigned l) {
        auto [x, y] = lane(l);
        return kind == 1 ? ((y + s * rows) * pitch + x) * 4 : (x * pitch + y + s * rows) * 4;
      });
    for (unsigned s = 0; s < steps; ++s)
      emit(stores[s], [&](unsigned l) {
        auto [x, y] = lane(l);
        if (kind <= 1 || kind == 6)
          return arrayAt(1) + at(bx * tile + x, by * tile + y + s * rows);
        if (kind == 2)
          return arrayAt(1) + at(by * tile + y + s * rows, bx * tile + x);
        return arrayAt(1) + at(by * tile + x, bx * tile + y + s * rows);
      });
  };
  return kernel;
}

/// A chain of loads: bytes (of the set), steps; where it lies is what the caches make of it.
TestKernel makeChase(const Reader &a) {
  const uint64_t set = a("bytes", 1 << 20), steps = a("steps", 512);
  CodeWriter w;
  w.block();
  const uint32_t pointer = w.parameter();
  const uint32_t at = w.reg(64);
  w.into(at, Move, Integer, 64, {pointer});
  const uint32_t loop = w.block();
  const uint32_t next = w.load(Space::Global, 8, at);
  const uint32_t access = w.lastAccess();
  w.into(at, Move, Integer, 64, {next});
  const uint32_t out = w.block();
  w.simple(Return);
  w.jump(0, {loop});
  w.jump(loop, {loop, out});
  TestKernel kernel;
  kernel.code = w.take();
  kernel.shape = {{1, 1, 1}, {32, 1, 1}};
  const uint64_t lines = std::max<uint64_t>(1, set / 128);
  const bool isSmall = lines <= 4096; // again and again; else anywhere in it
  const uint64_t count = isSmall ? lines * 64 : steps;
  kernel.operations = double(count);
  kernel.write = [=](uint64_t, unsigned, TraceWriter t) {
    t.block(0);
    uint64_t line = 1;
    for (uint64_t s = 0; s < count; ++s) {
      t.block(loop);
      t.access(access, arrayAt(0) + line * 128, 0, 1);
      line = (isSmall ? s + 1 : (s * 0x9e3779b97f4a7c15u) >> 20) % lines;
    }
    t.block(out);
  };
  return kernel;
}

/// C = A B in single precision, n x n. kind: 0 a thread for each element, 1 tiles in shared memory,
/// 2 as 0 with x and y swapped. tile: block of tile x tile threads.
TestKernel makeMatmul(const Reader &a) {
  const uint64_t n = a("n", 1024), tile = a("tile", 16), kind = a("kind", 0),
                 height = a("height", double(n)), inner = a("inner", double(n));
  const ValueKind type = a("int", 0) ? Integer : Float;
  const unsigned unroll = kind == 1 ? unsigned(tile) : 4;
  CodeWriter w;
  w.block();
  const uint32_t pa = w.parameter(), pb = w.parameter(), pc = w.parameter(), pn = w.parameter(32);
  const uint32_t tx = w.make(SpecialRegister, Integer, 32, {}),
                 ty = w.make(SpecialRegister, Integer, 32, {}),
                 bx = w.make(SpecialRegister, Integer, 32, {}),
                 by = w.make(SpecialRegister, Integer, 32, {});
  const uint32_t x = w.make(MultiplyAdd, Integer, 32, {bx, tx}),
                 y = w.make(MultiplyAdd, Integer, 32, {by, ty});
  const uint32_t row = w.make(Multiply, Integer, 32, {y, pn});
  uint32_t aAt = w.address(pa, row), bAt = w.address(pb, x);
  const uint32_t sum = w.make(Move, Float, 32, {}, HasImmediate);
  const uint32_t k = w.make(Move, Integer, 32, {}, HasImmediate);
  const uint32_t loop = w.block();
  std::vector<uint32_t> accesses;
  auto advance = [&] {
    w.into(aAt, Add, Integer, 64, {aAt}, HasImmediate | IsAddress);
    w.into(bAt, Add, Integer, 64, {bAt}, HasImmediate | IsAddress);
    w.into(k, Add, Integer, 32, {k}, HasImmediate);
    w.guard(k);
  };
  if (kind == 1) {
    const uint32_t va = w.load(Space::Global, 4, aAt), vb = w.load(Space::Global, 4, bAt);
    w.store(Space::Shared, 4, tx, va), w.store(Space::Shared, 4, ty, vb);
    w.simple(Barrier);
    for (unsigned u = 0; u < unroll; ++u) {
      const uint32_t sb = w.load(Space::Shared, 4, tx);
      const uint32_t sa = u % 4 == 0 ? w.load(Space::Shared, 16, ty) : sb;
      w.into(sum, MultiplyAdd, type, 32, {sa, sb, sum});
    }
    w.simple(Barrier);
  } else {
    for (unsigned u = 0; u < unroll; ++u) {
      const uint32_t va = w.load(Space::Global, 4, aAt), vb = w.load(Space::Global, 4, bAt);
      w.into(sum, MultiplyAdd, type, 32, {va, vb, sum});
      w.make(Add, Integer, 64, {bAt, pn}, IsAddress);
    }
  }
  advance();
  const uint32_t out = w.block();
  w.store(Space::Global, 4, w.address(pc, w.make(MultiplyAdd, Integer, 32, {y, pn, x})), sum);
  w.simple(Return);
  w.jump(0, {loop});
  w.jump(loop, {loop, out});
  TestKernel kernel;
  kernel.code = w.take();
  kernel.code.staticShared = kind == 1 ? unsigned(tile * tile * 8) : 0;
  kernel.shape = {{unsigned((n + tile - 1) / tile), unsigned((height + tile - 1) / tile), 1},
                  {unsigned(tile), unsigned(tile), 1}};
  kernel.bytes = double(n) * double(n) * 12;
  kernel.operations = 2.0 * double(n) * double(height) * double(inner);
  const auto store = unsigned(kernel.code.accesses.size()) - 1;
  const uint64_t side = kernel.shape.grid[0];
  kernel.write = [=](uint64_t block, unsigned warp, TraceWriter t) {
    const uint64_t bx = block % side, by = block / side;
    auto tx = [&](unsigned l) { return (warp * 32 + l) % tile; };
    auto ty = [&](unsigned l) { return (warp * 32 + l) / tile; };
    auto x = [&](unsigned l) { return kind == 2 ? by * tile + ty(l) : bx * tile + tx(l); };
    auto y = [&](unsigned l) { return kind == 2 ? bx * tile + tx(l) : by * tile + ty(l); };
    t.block(0);
    const uint64_t step = kind == 1 ? tile : unroll;
    for (uint64_t k = 0; k < inner; k += step) {
      t.block(loop);
      if (kind != 1) {
        for (unsigned u = 0; u < unroll; ++u) {
          t.gather(u * 2, [&](unsigned l) { return arrayAt(0) + (y(l) * inner + k + u) * 4; });
          t.gather(u * 2 + 1, [&](unsigned l) { return arrayAt(1) + ((k + u) * n + x(l)) * 4; });
        }
        continue;
      }
      t.gather(0, [&](unsigned l) { return arrayAt(0) + (y(l) * inner + k + tx(l)) * 4; });
      t.gather(1, [&](unsigned l) { return arrayAt(1) + ((k + ty(l)) * n + x(l)) * 4; });
      t.access(2, warp * 128, 4), t.access(3, tile * tile * 4 + warp * 128, 4);
      unsigned next = 4;
      for (unsigned u = 0; u < unroll; ++u) {
        t.gather(next++, [&](unsigned l) { return tile * tile * 4 + (u * tile + tx(l)) * 4; });
        if (u % 4 == 0)
          t.gather(next++, [&](unsigned l) { return (ty(l) * tile + u) * 4; });
      }
    }
    t.block(out);
    t.gather(store, [&](unsigned l) { return arrayAt(2) + (y(l) * n + x(l)) * 4; });
  };
  return kernel;
}

/// Harris' reductions of n ints or floats, a block's sum each. kind: 0 interleaved and divergent, 1
/// interleaved with bank conflicts, 2 sequential, 3 first add on load, 4 last warp unrolled, 5 all
/// unrolled, 6 several elements of a thread (in `grid` blocks), 7 as 6 with shuffles.
TestKernel makeReduce(const Reader &a) {
  const uint64_t n = a("n", 1 << 22), threads = a("block", 128), kind = a("kind", 2);
  const uint64_t perThread = kind < 3 ? 1 : 2;
  uint64_t grid = kind >= 6 ? a("grid", 64) : n / (threads * perThread);
  const bool isShuffle = kind == 7;
  CodeWriter w;
  w.block();
  const uint32_t in = w.parameter(), out = w.parameter(), index = w.globalIndex();
  const uint32_t sum = w.make(Move, Integer, 32, {}, HasImmediate);
  const uint32_t gridLoop = w.block();
  for (uint64_t i = 0; i < perThread; ++i)
    w.into(sum, Add, Integer, 32, {sum, w.load(Space::Global, 4, w.address(in, index))});
  if (kind >= 6) {
    w.into(index, Add, Integer, 32, {index}, HasImmediate);
    w.guard(index);
  }
  const uint32_t put = w.block();
  if (!isShuffle)
    w.store(Space::Shared, 4, index, sum);
  w.simple(Barrier);
  const uint32_t putAccess = w.lastAccess();
  // A step of the tree: its test (with a division or a product in the first kinds), then the work.
  const uint32_t test = w.block();
  uint32_t place = index;
  if (kind == 0)
    place = w.make(Remainder, Integer, 32, {index, index});
  if (kind == 1)
    place = w.make(Multiply, Integer, 32, {index, index});
  w.guard(place);
  const uint32_t work = w.block();
  const uint32_t mine = w.load(Space::Shared, 4, place), mineAt = w.lastAccess();
  const uint32_t other = w.load(Space::Shared, 4, place), otherAt = w.lastAccess();
  w.store(Space::Shared, 4, place, w.make(Add, Integer, 32, {mine, other}));
  const uint32_t storeAt = w.lastAccess();
  const uint32_t join = w.block();
  w.simple(Barrier);
  w.into(index, Shift, Integer, 32, {index}, HasImmediate);
  w.guard(index);
  const uint32_t warpSteps = w.block(); // of one warp, without barriers
  std::vector<uint32_t> unrolled;
  for (int s = 0; s < 5; ++s) {
    if (isShuffle) {
      const uint32_t moved = w.make(Shuffle, Integer, 32, {sum});
      w.into(sum, Add, Integer, 32, {sum, moved});
      continue;
    }
    const uint32_t a0 = w.load(Space::Shared, 4, place, IsVolatile);
    unrolled.push_back(w.lastAccess());
    w.store(Space::Shared, 4, place, w.make(Add, Integer, 32, {sum, a0}));
    unrolled.push_back(w.lastAccess());
  }
  const uint32_t result = w.block();
  w.store(Space::Global, 4, out, sum);
  const uint32_t last = w.lastAccess();
  const uint32_t end = w.block();
  w.simple(Return);
  w.jump(0, {gridLoop}), w.jump(gridLoop, {gridLoop, put}), w.jump(put, {test});
  w.jump(test, {work, join}), w.jump(work, {join}), w.jump(join, {test, warpSteps});
  w.jump(warpSteps, {result, end}), w.jump(result, {end});
  TestKernel kernel;
  kernel.code = w.take();
  kernel.code.staticShared = unsigned(threads * 4);
  kernel.shape = {{unsigned(grid), 1, 1}, {unsigned(threads), 1, 1}};
  kernel.bytes = double(n) * 4;
  kernel.write = [=](uint64_t block, unsigned warp, TraceWriter t) {
    t.block(0);
    const uint64_t rounds = kind >= 6 ? n / (threads * 2 * grid) : 1;
    for (uint64_t round = 0; round < rounds; ++round) {
      t.block(gridLoop);
      for (uint64_t i = 0; i < perThread; ++i)
        t.access(unsigned(i),
                 arrayAt(0) +
                     ((round * grid + block) * threads * perThread + i * threads + warp * 32) * 4,
                 4);
    }
    t.block(put);
    if (!isShuffle)
      t.access(putAccess, warp * 128, 4);
    const bool isTree = !isShuffle || warp == 0;
    const uint64_t least = kind >= 4 ? 64 : 1;
    for (uint64_t s = threads / 2; s >= least && isTree && !isShuffle; s /= 2) {
      const uint64_t width = threads / 2 / s; // distance of neighbours in the first kinds
      t.block(test);
      uint32_t lanes = 0;
      for (unsigned l = 0; l < 32; ++l) {
        const uint64_t thread = warp * 32 + l;
        const bool isActive = kind == 0   ? thread % (2 * width) == 0
                              : kind == 1 ? thread * 2 * width < threads
                                          : thread < s;
        lanes |= uint32_t(isActive) << l;
      }
      if (lanes) {
        t.block(work, lanes);
        auto at = [&](unsigned l) {
          const uint64_t thread = warp * 32 + l;
          return (kind == 1 ? thread * 2 * width : thread) * 4;
        };
        t.gather(mineAt, at, lanes);
        t.gather(otherAt, [&](unsigned l) { return at(l) + (kind < 2 ? width : s) * 4; }, lanes);
        t.gather(storeAt, at, lanes);
      }
      t.block(join);
    }
    if (kind >= 4 && (warp == 0 || isShuffle)) {
      t.block(warpSteps);
      for (uint32_t access : unrolled)
        t.access(access, warp * 128, 4);
    }
    if (warp == 0) {
      t.block(result, 1);
      t.access(last, arrayAt(1) + block * 4, 4, 1);
    }
    t.block(end);
  };
  return kernel;
}

/// Chains of multiply-adds: chains, steps, bits, threads (of a block), grid.
TestKernel makeFma(const Reader &a) {
  const uint64_t chains = a("chains", 4), steps = a("steps", 64), bits = a("bits", 32),
                 loops = a("loops", 16);
  const ValueKind kind = a("int", 0) ? Integer : Float;
  CodeWriter w;
  w.block();
  std::vector<uint32_t> sums;
  for (uint64_t c = 0; c < chains; ++c)
    sums.push_back(w.make(Move, kind, unsigned(bits), {}, HasImmediate));
  const uint32_t k = w.make(Move, Integer, 32, {}, HasImmediate);
  const uint32_t loop = w.block();
  const auto operation = a("special", 0) ? ReciprocalRoot : MultiplyAdd;
  for (uint64_t s = 0; s < steps; ++s)
    for (uint32_t sum : sums)
      w.into(sum, operation, kind, unsigned(bits), {sum, sum, sum},
             a("special", 0) ? IsApproximate : 0);
  w.into(k, Add, Integer, 32, {k}, HasImmediate);
  w.guard(k);
  const uint32_t out = w.block();
  w.simple(Return);
  w.jump(0, {loop}), w.jump(loop, {loop, out});
  TestKernel kernel;
  kernel.code = w.take();
  kernel.shape = {{unsigned(a("grid", 1)), 1, 1}, {unsigned(a("block", 256)), 1, 1}};
  kernel.operations =
      double(chains * steps * loops) * kernel.shape.threads() * double(kernel.shape.blocks());
  kernel.write = [=](uint64_t, unsigned, TraceWriter t) {
    t.block(0);
    for (uint64_t l = 0; l < loops; ++l)
      t.block(loop);
    t.block(out);
  };
  return kernel;
}

} // namespace

TestKernel makeTestKernel(const std::string &name, const Arguments &arguments) {
  const Reader reader(arguments);
  if (name == "stream")
    return makeStream(reader);
  if (name == "transpose")
    return makeTranspose(reader);
  if (name == "chase")
    return makeChase(reader);
  if (name == "matmul")
    return makeMatmul(reader);
  if (name == "reduce")
    return makeReduce(reader);
  if (name == "fma")
    return makeFma(reader);
  return {};
}

} // namespace heddle::model::test
