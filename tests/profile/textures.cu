// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of textures as requests and sectors: of an array, whose sectors are 16 bytes of two rows, along
// and across rows, and of linear memory.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --metrics l1tex__t_requests_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture.sum,smsp__inst_executed_op_texture.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum %t | FileCheck %s
// RUN: env HEDDLE_DEVICE=k20 %heddle profile --csv --quiet -m tex_cache_transactions,tex_cache_hit_rate,texture_load_requests --log-file - %t | FileCheck %s --check-prefix=KEPLER
__global__ void rows(cudaTextureObject_t from, float *to) {
  int x = threadIdx.x, y = blockIdx.x;
  to[y * 32 + x] = tex2D<float>(from, x + 0.5f, y + 0.5f);
}
__global__ void columns(cudaTextureObject_t from, float *to) {
  int x = threadIdx.x, y = blockIdx.x;
  to[y * 32 + x] = tex2D<float>(from, y + 0.5f, x + 0.5f);
}
__global__ void linear(cudaTextureObject_t from, float *to) {
  int i = blockIdx.x * 32 + threadIdx.x;
  to[i] = tex1Dfetch<float>(from, i);
}

int main() {
  constexpr int N = 32;
  float host[N * N] = {}, *to, *linearFrom;
  cudaMalloc(&to, sizeof host);
  cudaMalloc(&linearFrom, sizeof host);
  cudaMemset(linearFrom, 0, sizeof host);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, N, N);
  cudaMemcpy2DToArray(array, 0, 0, host, N * 4, N * 4, N, cudaMemcpyHostToDevice);
  cudaResourceDesc ofArray = {}, ofLinear = {};
  ofArray.resType = cudaResourceTypeArray;
  ofArray.res.array.array = array;
  ofLinear.resType = cudaResourceTypeLinear;
  ofLinear.res.linear = {linearFrom, format, sizeof host};
  cudaTextureDesc settings = {};
  cudaTextureObject_t tiled, line;
  cudaCreateTextureObject(&tiled, &ofArray, &settings, nullptr);
  cudaCreateTextureObject(&line, &ofLinear, &settings, nullptr);
  rows<<<N, N>>>(tiled, to);
  columns<<<N, N>>>(tiled, to);
  linear<<<N, N>>>(line, to);
  return cudaDeviceSynchronize();
}

// CHECK: "rows({{.*}}"l1tex__t_requests_pipe_tex_mem_texture.sum","request","32"
// CHECK: "rows({{.*}}"l1tex__t_sectors_pipe_tex_mem_texture.sum","sector","256"
// CHECK: "rows({{.*}}"smsp__inst_executed_op_texture.sum","inst","32"
// CHECK: "rows({{.*}}"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","0"
// CHECK: "columns({{.*}}"l1tex__t_sectors_pipe_tex_mem_texture.sum","sector","512"
// CHECK: "linear({{.*}}"l1tex__t_sectors_pipe_tex_mem_texture.sum","sector","128"

// KEPLER: "rows({{.*}}"tex_cache_transactions",{{.*}},256,256,256
// KEPLER-NEXT: "tex_cache_hit_rate"
// KEPLER-NEXT: "texture_load_requests",{{.*}},32,32,32
// KEPLER: "columns({{.*}}"tex_cache_transactions",{{.*}},512,512,512
// KEPLER: "linear({{.*}}"tex_cache_transactions",{{.*}},128,128,128
// KEPLER-NEXT: "tex_cache_hit_rate",{{.*}},0.00%,0.00%,0.00%
