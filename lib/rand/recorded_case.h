// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of recorded.inc as calls of cuRAND: for the test and for the program that records on a
// GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <curand.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/// The number after `name=` in the line, or `otherwise`.
inline unsigned long long settingOf(const std::string &line, const char *name,
                                    unsigned long long otherwise) {
  size_t at = line.find(std::string(name) + "=");
  return at == line.npos ? otherwise
                         : std::strtoull(line.c_str() + at + std::strlen(name) + 1, nullptr, 10);
}

inline curandStatus_t generateNamed(curandGenerator_t generator, const std::string &distribution,
                                    void *out, size_t count, double lambda) {
  if (distribution == "raw")
    return curandGenerate(generator, static_cast<unsigned *>(out), count);
  if (distribution == "raw64")
    return curandGenerateLongLong(generator, static_cast<unsigned long long *>(out), count);
  if (distribution == "uniform")
    return curandGenerateUniform(generator, static_cast<float *>(out), count);
  if (distribution == "uniformd")
    return curandGenerateUniformDouble(generator, static_cast<double *>(out), count);
  return curandGeneratePoisson(generator, static_cast<unsigned *>(out), count, lambda);
}

/// Makes the line's generator and calls; the first status that is none, else the hash of all
/// numbers.
inline int runRecorded(const std::string &line, unsigned long long *hash) {
  curandGenerator_t generator;
  int status = curandCreateGenerator(&generator, curandRngType_t(settingOf(line, "type", 0)));
  if (status)
    return status;
  if (unsigned long long order = settingOf(line, "order", 0))
    status = curandSetGeneratorOrdering(generator, curandOrdering_t(order));
  if (!status && line.find("seed=") != line.npos)
    status = curandSetPseudoRandomGeneratorSeed(generator, settingOf(line, "seed", 0));
  if (!status && line.find("offset=") != line.npos)
    status = curandSetGeneratorOffset(generator, settingOf(line, "offset", 0));
  if (!status && line.find("dims=") != line.npos)
    status =
        curandSetQuasiRandomGeneratorDimensions(generator, unsigned(settingOf(line, "dims", 1)));
  *hash = 1469598103934665603ull;
  for (size_t at = 0; !status && at < line.size();) {
    size_t end = std::min(line.find(' ', at), line.size());
    char distribution[16];
    size_t count;
    double lambda = 0;
    if (std::sscanf(line.substr(at, end - at).c_str(), "%15[a-z0-9]/%zu/%lf", distribution, &count,
                    &lambda) >= 2) {
      bool wide = !std::strcmp(distribution, "raw64") || !std::strcmp(distribution, "uniformd");
      std::vector<unsigned char> bytes(count * (wide ? 8 : 4));
      void *out;
      cudaMalloc(&out, bytes.size());
      status = generateNamed(generator, distribution, out, count, lambda);
      cudaMemcpy(bytes.data(), out, bytes.size(), cudaMemcpyDeviceToHost);
      cudaFree(out);
      for (unsigned char byte : bytes)
        *hash = (*hash ^ byte) * 1099511628211ull;
    }
    at = end + 1;
  }
  curandDestroyGenerator(generator);
  return status;
}
