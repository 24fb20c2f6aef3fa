// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8, 1998) for the host API: 8192
// streams that take turns of eight (guide, 2.2.3), each a fixed number of steps behind the one
// before, which is not known but as a polynomial (make_mt19937_jumps.py).
//
// On a GPU eight threads share a stream's 624 words: each has eleven runs of seven words, and there
// are eight single words (Tredak, "Efficient Mersenne Twister on GPUs"). So a stream's 78 turns
// between two renewals of its words are: the single words; then, run after run, the runs' first
// words, their second ones, and so on.
//
// A jump adds up those of 19937 successive states that a polynomial's coefficients choose. The
// states overlap: word i of state k is word i + k of one sequence. Four coefficients at a time
// choose among sixteen sums of four neighbouring words that are made once.
#include "parallel.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <vector>

namespace heddle::rand {

namespace {

constexpr size_t Size = 624, Middle = 397, Streams = 8192, Turn = 8, Turns = Size / Turn;
using State = std::array<uint32_t, Size>;

#include "mt19937_jumps.inc"

uint32_t twist(uint32_t a, uint32_t b, uint32_t middle) {
  uint32_t y = (a & 0x80000000) | (b & 0x7fffffff);
  return middle ^ y >> 1 ^ (0u - (b & 1) & 0x9908b0df);
}

/// The 624 words after these.
HEDDLE_CLONES void renew(uint32_t *x) {
  for (size_t i = 0; i < Size - Middle; ++i)
    x[i] = twist(x[i], x[i + 1], x[i + Middle]);
  for (size_t i = Size - Middle; i < Size - 1; ++i)
    x[i] = twist(x[i], x[i + 1], x[i + Middle - Size]);
  x[Size - 1] = twist(x[Size - 1], x[0], x[Middle - 1]);
}

uint32_t temper(uint32_t x) {
  x ^= x >> 11;
  x ^= x << 7 & 0x9d2c5680;
  x ^= x << 15 & 0xefc60000;
  return x ^ x >> 18;
}

constexpr size_t Length = 33 * Size; // the last state of a jump begins before word 32 Size

HEDDLE_CLONES void addWords(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = a[i] ^ b[i];
}

/// Sum number c of each place in a sequence: of the words that c's bits choose of the four from
/// there on.
class Sums {
public:
  Sums() : words(16 * Length) {}

  void make(const State &state) {
    uint32_t *x = of(1);
    std::copy(state.begin(), state.end(), x);
    for (size_t i = Size; i < Length; ++i)
      x[i] = twist(x[i - Size], x[i - Size + 1], x[i - Size + Middle]);
    for (size_t sum = 2; sum < 16; ++sum) {
      size_t top = sum >= 8 ? 3 : sum >= 4 ? 2 : 1;
      addWords(of(sum), of(sum - (size_t(1) << top)), x + top, Length - top);
    }
  }

  uint32_t *of(size_t sum) { return words.data() + sum * Length; }

private:
  std::vector<uint32_t> words;
};

/// Words of a new state that stay in registers while the polynomial passes. What they are made of
/// moves along the sums by four words at a time.
using Words = uint32_t __attribute__((vector_size(32)));
constexpr size_t Chunk = 48, ChunkWords = Chunk * sizeof(uint32_t) / sizeof(Words);
static_assert(Size % Chunk == 0);

HEDDLE_CLONES void addChosen(uint32_t *to, const uint32_t *polynomial, const uint32_t *sums) {
  Words chunk[ChunkWords] = {};
  for (size_t four = 0; four < Size * 8; ++four) {
    size_t sum = polynomial[four / 8] >> four % 8 * 4 & 15;
    Words chosen[ChunkWords];
    std::memcpy(chosen, sums + sum * Length + four * 4, sizeof chosen);
    for (size_t i = 0; i < ChunkWords; ++i)
      chunk[i] ^= chosen[i];
  }
  std::memcpy(to, chunk, sizeof chunk);
}

/// Applies a polynomial of Size words, 32 coefficients a word.
void jump(const uint32_t *polynomial, const State &from, State &to, Sums &sums) {
  sums.make(from);
  for (size_t at = 0; at < Size; at += Chunk)
    addChosen(&to[at], polynomial, sums.of(0) + at);
}

/// Which words of a stream each turn gives.
struct Places {
  uint16_t word[Turns][Turn];

  Places() {
    constexpr uint16_t Singles[Turn] = {0, 113, 170, 283, 340, 397, 510, 567};
    constexpr uint16_t Runs[] = {1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};
    constexpr size_t RunWords = 7;
    for (size_t thread = 0; thread < Turn; ++thread) {
      word[0][thread] = Singles[thread];
      for (size_t turn = 1; turn < Turns; ++turn)
        word[turn][thread] = static_cast<uint16_t>(Runs[(turn - 1) / RunWords] + RunWords * thread +
                                                   (turn - 1) % RunWords);
    }
  }
};

class Mt19937Engine final : public Engine {
public:
  explicit Mt19937Engine(const Settings &settings) : states(Streams), turns(Streams) {
    lastHead[0] = static_cast<uint32_t>(settings.seed);
    for (uint32_t i = 1; i < Size; ++i)
      lastHead[i] = 1812433253 * (lastHead[i - 1] ^ lastHead[i - 1] >> 30) + i;
  }

  void generate(const Request &r) override {
    start(std::min(Streams, (next + r.count + Turn - 1) / Turn));
    inParallel(Streams, r.count, [&](size_t first, size_t last) {
      for (size_t s = first; s < last; ++s)
        generateOf(s, r);
    });
    next = (next + r.count) % (Streams * Turn);
  }

private:
  static constexpr size_t Group = 64;

  /// Makes the states of streams that are wanted for the first time, by groups: their heads one
  /// after another, and then each group on its own.
  void start(size_t wanted) {
    size_t groups = (wanted + Group - 1) / Group, known = started / Group;
    if (groups <= known)
      return;
    Sums sums;
    for (size_t g = known; g < groups; ++g) {
      if (g > 0)
        jump(Jump64, State(lastHead), lastHead, sums);
      states[g * Group] = lastHead;
    }
    constexpr size_t CostOfJump = 1 << 16; // in numbers, about
    inParallel(groups - known, (groups - known) * Group * CostOfJump,
               [&](size_t first, size_t last) {
                 Sums sums;
                 for (size_t s = (known + first) * Group; s < (known + last) * Group; ++s)
                   if (s % Group != 0)
                     jump(JumpOne, states[s - 1], states[s], sums);
               });
    started = groups * Group;
  }

  /// The turns of one stream; result i of the request is the generator's result next + i.
  void generateOf(size_t s, const Request &r) {
    static const Places places;
    size_t end = next + r.count;
    for (size_t turn = s * Turn; turn < end; turn += Streams * Turn) {
      size_t first = std::max(turn, next), last = std::min(turn + Turn, end);
      if (first >= last)
        continue;
      if (turns[s] == 0 && first == turn)
        renew(states[s].data());
      uint32_t words[Turn];
      for (size_t i = first; i < last; ++i)
        words[i - first] = temper(states[s][places.word[turns[s]][i - turn]]);
      convertWords(words, last - first, r, first - next, true);
      if (last == turn + Turn)
        turns[s] = static_cast<uint8_t>((turns[s] + 1) % Turns);
    }
  }

  State lastHead; ///< the state that the last group's first stream began with
  std::vector<State> states;
  std::vector<uint8_t> turns; ///< which turn of each stream comes
  size_t started = 0;         ///< streams that have states
  size_t next = 0;
};

} // namespace

std::unique_ptr<Engine> makeMt19937(const Settings &settings) {
  return std::make_unique<Mt19937Engine>(settings);
}

} // namespace heddle::rand
