// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void sample(float *out, cudaTextureObject_t image) {
  bool isResident;
  out[0] = tex2D<float>(image, 1.0f, 2.0f, &isResident);
  out[1] = tex2Dgather<float4>(image, 1.0f, 2.0f, &isResident, 1).x;
  out[2] = tex3DLod<float>(image, 1.0f, 2.0f, 3.0f, 4.0f, &isResident);
  out[3] = tex2D<double>(image, 1.0f, 2.0f);
}
