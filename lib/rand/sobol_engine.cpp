// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobol's sequences for the host API: all numbers of the first dimension, then those of the second,
// and so on.
#include "parallel.h"
#include "sobol_tables.h"
#include "words.h"

#include <heddle/random/sobol.h>

namespace heddle::rand {

namespace {

template <typename Word> class SobolEngine final : public Engine {
public:
  SobolEngine(const Settings &settings, const typename SobolTables<Word>::Vectors *vectors,
              const Word *constants)
      : vectors(vectors), constants(constants), dimensions(settings.dimensions),
        next(static_cast<Word>(settings.offset)) {}

  void generate(const Request &r) override {
    size_t count = r.count / dimensions;
    inParallel(dimensions, r.count, [&](size_t first, size_t last) {
      for (size_t d = first; d < last; ++d)
        generateOf(d, count, r);
    });
    next += static_cast<Word>(count);
  }

private:
  using Stored = std::conditional_t<sizeof(Word) == 8, uint64_t, uint32_t>;

  void generateOf(size_t d, size_t count, const Request &r) const {
    const Word *v = vectors[d];
    Word i = next, x = random::sobolNumber(v, i) ^ (constants ? constants[d] : 0);
    convertAll<Stored>(r, d * count, count, [&](Stored *words, size_t n) {
      for (size_t k = 0; k < n; ++k) {
        words[k] = x;
        x ^= v[random::changedBit(i++)];
      }
    });
  }

  const typename SobolTables<Word>::Vectors *vectors;
  const Word *constants; ///< null if the sequences are not scrambled
  size_t dimensions;
  Word next; ///< the number of each sequence that comes
};

template <typename Word> std::unique_ptr<Engine> make(const Settings &settings, bool scrambled) {
  using Tables = SobolTables<Word>;
  const auto *vectors = scrambled ? Tables::scrambled() : Tables::plain();
  const Word *constants = scrambled ? Tables::constants() : nullptr;
  if (!vectors || (scrambled && !constants))
    return nullptr;
  return std::make_unique<SobolEngine<Word>>(settings, vectors, constants);
}

} // namespace

std::unique_ptr<Engine> makeSobol(const Settings &settings) {
  switch (settings.type) {
  case CURAND_RNG_QUASI_SOBOL32:
    return make<uint32_t>(settings, false);
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    return make<uint32_t>(settings, true);
  case CURAND_RNG_QUASI_SOBOL64:
    return make<unsigned long long>(settings, false);
  default:
    return make<unsigned long long>(settings, true);
  }
}

} // namespace heddle::rand
