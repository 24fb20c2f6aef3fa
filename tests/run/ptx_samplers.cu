// RUN: %heddle cc -std=c++17 %s -o %t -lcuda
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samplers of their own (.samplerref, texmode_independent): one texture through three, what they answer to txq, bound again.
#include "driver.h"

static const char *Module = R"(.version 5.0
.target sm_50, texmode_independent
.address_size 64
.global .texref image;
.global .samplerref near = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge, filter_mode = nearest };
.global .samplerref edge = { addr_mode_0 = clamp_to_border, addr_mode_1 = clamp_to_edge, filter_mode = linear };
.global .samplerref plain;
.visible .entry sample(.param .u64 to) {
  .reg .b32 x, i, w; .reg .f32 r, g, b, a, u; .reg .b64 p, o;
  ld.param.u64 p, [to]; mov.u32 x, %tid.x; mul.wide.u32 o, x, 16; add.u64 p, p, o;
  cvt.rn.f32.s32 u, x; sub.f32 u, u, 0f3F800000;
  tex.2d.v4.f32.f32 {r, g, b, a}, [image, near, {u, 0f3F000000}]; st.global.f32 [p], r;
  tex.2d.v4.f32.f32 {r, g, b, a}, [image, edge, {u, 0f3F000000}]; st.global.f32 [p+4], r;
  tex.2d.v4.f32.f32 {r, g, b, a}, [image, {u, 0f3F000000}]; st.global.f32 [p+8], r;
  txq.filter_mode.b32 w, [edge]; txq.addr_mode_0.b32 i, [edge]; mad.lo.u32 w, w, 10, i;
  txq.force_unnormalized_coords.b32 i, [plain]; mad.lo.u32 w, w, 10, i;
  txq.width.b32 i, [image]; mad.lo.u32 w, w, 10, i;
  st.global.u32 [p+12], w;
  ret;
}
)";

struct Row {
  float near, edge, own;
  int answers;
};

static void check(const char *what, CUmodule module, const std::vector<float> &texels, CUarray array) {
  constexpr unsigned Threads = 6;
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = texels.size() * 4;
  copy.Height = 1;
  DRIVER_OK(cuMemcpy2D(&copy));
  Buffer<Row> rows(Threads);
  void *arguments[] = {&rows.data};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "sample"), 1, 1, 1, Threads, 1, 1, 0, nullptr, arguments, nullptr));
  const std::vector<Row> got = rows.get();
  auto at = [&](int i) { return texels[size_t(std::min(std::max(i, 0), int(texels.size()) - 1))]; };
  auto inside = [&](int i) { return i < 0 || i >= int(texels.size()) ? 0.0f : texels[size_t(i)]; };
  for (int t = 0; t < int(Threads); ++t) {
    expect(what, t, got[t].near, at(t - 1));
    expect(what, t, got[t].edge, (inside(t - 2) + inside(t - 1)) / 2); // between two texels
    expect(what, t, got[t].own, at(t - 1));
    expect(what, t, got[t].answers, ((1 * 10 + 4) * 10 + 0) * 10 + int(texels.size()));
  }
}

int main() {
  DRIVER_OK(cuInit(0));
  makeContext();
  CUmodule module = nullptr;
  DRIVER_OK(cuModuleLoadData(&module, Module));
  CUDA_ARRAY_DESCRIPTOR shape = {4, 1, CU_AD_FORMAT_FLOAT, 1};
  CUarray array, other;
  DRIVER_OK(cuArrayCreate(&array, &shape));
  DRIVER_OK(cuArrayCreate(&other, &shape));
  CUtexref image;
  DRIVER_OK(cuModuleGetTexRef(&image, module, "image"));
  for (int axis : {0, 1})
    DRIVER_OK(cuTexRefSetAddressMode(image, axis, CU_TR_ADDRESS_MODE_CLAMP));
  DRIVER_OK(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
  check("an array", module, {1, 2, 4, 8}, array);
  DRIVER_OK(cuTexRefSetArray(image, other, CU_TRSA_OVERRIDE_FORMAT));
  check("another", module, {5, 7, 11, 13}, other);

  // What no host can make is refused.
  const std::string head = ".version 5.0\n.target sm_50\n.address_size 64\n.global .texref t; .global .samplerref s";
  const std::string body = ".visible .entry k(.param .u64 o) { .reg .b64 h; .reg .f32 f; ld.param.u64 h, [o];\n";
  CUmodule refused = nullptr;
  expectCode("a sampler in a register",
              cuModuleLoadData(&refused, (head + ";\n" + body + "tex.1d.v4.f32.f32 {f, f, f, f}, [t, h, {f}]; ret; }").c_str()),
              CUDA_ERROR_INVALID_PTX);
  expectCode("an unknown mode", cuModuleLoadData(&refused, (head + " = { addr_mode_0 = far };\n" + body + "ret; }").c_str()),
              CUDA_ERROR_INVALID_PTX);
  return finish();
}
