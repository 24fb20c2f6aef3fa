#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <vector>
#include <algorithm>
#include <string>
#define CHECK(call) do { cudaError_t err = (call); if (err != cudaSuccess) { fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", __FILE__, __LINE__, (int)err, cudaGetErrorString(err), #call); exit(EXIT_FAILURE); } } while (0)
static inline uint64_t hashBytes(const void *p, size_t n) { const unsigned char *c = (const unsigned char *)p; uint64_t h = 1469598103934665603ull; for (size_t i = 0; i < n; i++) { h ^= c[i]; h *= 1099511628211ull; } return h; }
template <typename T> static void report(const char *name, const T *dev, size_t n) { std::vector<unsigned char> v(n * sizeof(T)); CHECK(cudaMemcpy(v.data(), dev, n * sizeof(T), cudaMemcpyDefault)); printf("%-20s %016llx\n", name, (unsigned long long)hashBytes(v.data(), n * sizeof(T))); }
static uint32_t rngState = 12345;
static inline uint32_t rnd() { rngState ^= rngState << 13; rngState ^= rngState >> 17; rngState ^= rngState << 5; return rngState; }
