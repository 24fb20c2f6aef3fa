// RUN: %heddle cc -arch=sm_90 %s -o %t -lcuda
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that directives of a kernel forbid: the driver's codes, and nothing runs.
#include "ptx_module.h"

__global__ void __block_size__((8, 4)) ofSource(int *p) { atomicAdd(p, 1); }

static CUfunction kernelWith(const std::string &directives, const std::string &more = "") {
  CUmodule module;
  const std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n" + more + ".visible .entry k(.param .u64 p) " +
                           directives + R"( {
	.reg .b64 %a; .reg .b32 %r;
	ld.param.u64 %a, [p];
	atom.global.add.u32 %r, [%a], 1;
	ret;
})";
  DRIVER_OK(cuModuleLoadData(&module, text.c_str()));
  return functionOf(module, "k");
}

/// `want`: the threads that run, or the error as a number below zero.
static void launch(const char *what, CUfunction kernel, dim3 block, int want, unsigned cluster = 0) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = cluster;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = block.x;
  config.blockDimY = block.y;
  config.blockDimZ = block.z;
  config.attrs = &attribute;
  config.numAttrs = cluster ? 1 : 0;
  Buffer<int> count(std::vector<int>{0});
  void *args[] = {&count.data};
  const CUresult error = cuLaunchKernelEx(&config, kernel, args, nullptr);
  CUDA_OK(cudaDeviceSynchronize());
  expect(what, 0, count.get()[0] - int(error), want);
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  const int BadValue = -CUDA_ERROR_INVALID_VALUE, BadCluster = -CUDA_ERROR_INVALID_CLUSTER_SIZE;
  CUfunction line = kernelWith(".reqntid 32");
  launch("as required", line, 32, 128);
  launch("fewer", line, 16, BadValue);
  launch("more", line, 64, BadValue);
  launch("as many", line, dim3(16, 2), BadValue);
  CUfunction plane = kernelWith(".reqntid 8, 4");
  launch("a plane", plane, dim3(8, 4), 128);
  launch("a plane as a line", plane, 32, BadValue);
  launch("a plane that lies", plane, dim3(4, 8), BadValue);
  CUfunction compiled;
  CUDA_OK(cudaGetFuncBySymbol(&compiled, ofSource));
  launch("__block_size__", compiled, dim3(8, 4), 128);
  launch("another block", compiled, 32, BadValue);
  CUfunction bounded = kernelWith(".maxntid 16, 4");
  launch("the most", bounded, 64, 256);
  launch("too many", bounded, 65, BadValue);
  int threads = 0;
  DRIVER_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, plane));
  expect("attribute", 0, threads, 32);
  CUfunction pairs = kernelWith(".reqnctapercluster 2");
  launch("pairs", pairs, 1, 4);
  launch("pairs, asked for", pairs, 1, 4, 2);
  launch("no pairs", pairs, 1, BadCluster, 4);
  CUfunction ranks = kernelWith(".maxclusterrank 2");
  launch("two blocks", ranks, 1, 4, 2);
  launch("four blocks", ranks, 1, BadCluster, 4);
  CUfunction named = kernelWith(".explicitcluster");
  launch("no cluster", named, 32, BadCluster);
  launch("a cluster of one", named, 32, 128, 1);
  launch("clusters of two", named, 32, 128, 2);
  CUfunction counted = kernelWith(".reqntid 32 .reqnctapercluster 2 .blocksareclusters");
  launch("the grid in clusters", counted, 32, 256);
  launch("the grid in clusters, asked for", counted, 32, 256, 2);
  // A text of which only an index is made at first.
  const std::string large(100'000, '\n');
  launch("a large text", kernelWith(".reqntid 32", large), 16, BadValue);
  launch("a cluster of a large text", kernelWith(".reqnctapercluster 2", large), 1, BadCluster, 4);
  return finish();
}
