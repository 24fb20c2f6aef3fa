// RUN: %heddle cc -rdc=true %s -o %t -lcufft_static -lculibos
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callbacks that load and store against the same done to the arrays on the host around a plan without callbacks: all
// kinds, in place and not, basic and given layouts, in a captured graph, and the codes of wrong calls.
#include <cufftXt.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    std::printf("line %d: %s\n", __LINE__, #condition);                                            \
    std::exit(1);                                                                                  \
  }
#define CALL(call) CHECK((call) == 0)

/// What a callback does to the numbers of an element, on the device and on the host.
template <typename R> struct Info {
  R factor;
};

template <typename R> __host__ __device__ R weight(size_t offset, const Info<R> &info) {
  return info.factor * R(offset % 7 + 1);
}

__device__ cufftComplex loadComplex(void *data, size_t offset, void *info, void *) {
  cufftComplex x = static_cast<cufftComplex *>(data)[offset];
  float w = weight(offset, *static_cast<Info<float> *>(info));
  return {x.x * w, x.y * w};
}
/// By way of the shared memory that it asked for.
__device__ void storeComplex(void *data, size_t offset, cufftComplex x, void *info, void *shared) {
  float w = weight(offset, *static_cast<Info<float> *>(info));
  cufftComplex *mine = static_cast<cufftComplex *>(shared) + threadIdx.x;
  *mine = {x.x * w, x.y * w};
  static_cast<cufftComplex *>(data)[offset] = *mine;
}
__device__ cufftReal loadReal(void *data, size_t offset, void *info, void *) {
  return static_cast<cufftReal *>(data)[offset] * weight(offset, *static_cast<Info<float> *>(info));
}
__device__ void storeReal(void *data, size_t offset, cufftReal x, void *info, void *) {
  static_cast<cufftReal *>(data)[offset] = x * weight(offset, *static_cast<Info<float> *>(info));
}
__device__ cufftDoubleReal loadDouble(void *data, size_t offset, void *info, void *) {
  return static_cast<cufftDoubleReal *>(data)[offset] *
         weight(offset, *static_cast<Info<double> *>(info));
}
__device__ void storeDoubleComplex(void *data, size_t offset, cufftDoubleComplex x, void *info,
                                   void *) {
  double w = weight(offset, *static_cast<Info<double> *>(info));
  static_cast<cufftDoubleComplex *>(data)[offset] = {x.x * w, x.y * w};
}

__device__ cufftCallbackLoadC loadComplexAt = loadComplex;
__device__ cufftCallbackStoreC storeComplexAt = storeComplex;
__device__ cufftCallbackLoadR loadRealAt = loadReal;
__device__ cufftCallbackStoreR storeRealAt = storeReal;
__device__ cufftCallbackLoadD loadDoubleAt = loadDouble;
__device__ cufftCallbackStoreZ storeDoubleComplexAt = storeDoubleComplex;

template <typename Symbol> void *addressIn(const Symbol &symbol) {
  void *address;
  CALL(cudaMemcpyFromSymbol(&address, symbol, sizeof address));
  return address;
}

/// Memory that both sides read.
template <typename T> struct Array {
  T *data;
  size_t count;

  explicit Array(size_t count) : count(count) { CALL(cudaMallocManaged(&data, count * sizeof(T))); }
  Array(const Array &) = delete;
  ~Array() { CALL(cudaFree(data)); }
  void fill() {
    for (size_t i = 0; i < count; ++i)
      data[i] = T(std::rand() % 2001 - 1000) / T(1000);
  }
};

/// Multiplies elements of `numbers` numbers as the callbacks do.
template <typename R> void weigh(Array<R> &array, int numbers, const Info<R> &info) {
  for (size_t i = 0; i < array.count; ++i)
    array.data[i] *= weight(i / numbers, info);
}

/// A plan and its callbacks. `inNumbers` and `outNumbers`: of an element, 0 without a callback.
template <typename R> struct Case {
  std::function<void(cufftHandle *)> make;
  size_t in, out; ///< numbers of each side
  bool inPlace;
  cufftXtCallbackType loadType, storeType;
  void *load, *store;
  int inNumbers, outNumbers;
};

template <typename R> void compare(const Case<R> &c, cudaStream_t capturing = nullptr) {
  Array<R> in(std::max(c.in, c.inPlace ? c.out : 0)), expectedIn(in.count);
  Array<R> out(c.out), expectedOut(c.out);
  in.fill(), out.fill();
  std::vector<R> initial(out.data, out.data + out.count);
  std::copy_n(in.data, in.count, expectedIn.data),
      std::copy_n(out.data, out.count, expectedOut.data);
  R *target = c.inPlace ? in.data : out.data,
    *expected = c.inPlace ? expectedIn.data : expectedOut.data;
  Array<Info<R>> infos(2);
  infos.data[0] = {R(0.5)}, infos.data[1] = {R(-0.25)};

  cufftHandle plan, plain;
  c.make(&plan), c.make(&plain);
  void *load = c.load, *store = c.store, *info[2] = {&infos.data[0], &infos.data[1]};
  if (load)
    CALL(cufftXtSetCallback(plan, &load, c.loadType, &info[0]));
  if (store) {
    CALL(cufftXtSetCallback(plan, &store, c.storeType, &info[1]));
    CALL(cufftXtSetCallbackSharedSize(plan, c.storeType, 4096));
  }
  if (capturing) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CALL(cufftSetStream(plan, capturing));
    CALL(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
    CALL(cufftXtExec(plan, in.data, target, CUFFT_FORWARD));
    CALL(cudaStreamEndCapture(capturing, &graph));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, capturing));
    CALL(cudaStreamSynchronize(capturing));
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
  } else {
    CALL(cufftXtExec(plan, in.data, target, CUFFT_FORWARD));
  }
  if (c.inNumbers)
    weigh(expectedIn, c.inNumbers, infos.data[0]);
  CALL(cufftXtExec(plain, expectedIn.data, expected, CUFFT_FORWARD));
  CALL(cudaDeviceSynchronize());
  for (size_t i = 0; i < c.out; ++i) {
    bool between = !c.inPlace && expected[i] == initial[i]; // elements, where nothing is stored
    R with = expected[i] * (c.outNumbers && !between ? weight(i / c.outNumbers, infos.data[1]) : 1);
    CHECK(std::abs(target[i] - with) <= 2e-5 * (1 + std::abs(with)));
  }
  CALL(cufftDestroy(plan));
  CALL(cufftDestroy(plain));
}

void errors() {
  cufftHandle plan;
  CALL(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
  void *load = addressIn(loadComplexAt), *none = nullptr;
  CHECK(cufftXtSetCallback(plan + 1000, &load, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_INVALID_PLAN);
  CHECK(cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_INVALID_VALUE);
  CHECK(cufftXtSetCallback(plan, &none, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_INVALID_VALUE);
  for (auto type : {CUFFT_CB_LD_REAL, CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_UNDEFINED})
    CHECK(cufftXtSetCallback(plan, &load, type, nullptr) == CUFFT_INVALID_TYPE);
  CHECK(cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, 16385) == CUFFT_INVALID_VALUE);
  CHECK(cufftXtClearCallback(plan, CUFFT_CB_ST_REAL) == CUFFT_INVALID_TYPE);
  CALL(cufftXtSetCallback(plan, &load, CUFFT_CB_LD_COMPLEX, nullptr));
  CALL(cufftXtClearCallback(plan, CUFFT_CB_LD_COMPLEX)); // without it nobody reads the null pointer
  Array<float> data(16);
  data.fill();
  CALL(cufftExecC2C(plan, reinterpret_cast<cufftComplex *>(data.data),
                    reinterpret_cast<cufftComplex *>(data.data), CUFFT_FORWARD));
  CALL(cudaDeviceSynchronize());
  CALL(cufftDestroy(plan));
}

int main() {
  void *loadC = addressIn(loadComplexAt), *storeC = addressIn(storeComplexAt);
  void *loadR = addressIn(loadRealAt), *storeR = addressIn(storeRealAt);
  void *loadD = addressIn(loadDoubleAt), *storeZ = addressIn(storeDoubleComplexAt);
  constexpr auto LoadC = CUFFT_CB_LD_COMPLEX, StoreC = CUFFT_CB_ST_COMPLEX;
  constexpr auto LoadR = CUFFT_CB_LD_REAL, StoreR = CUFFT_CB_ST_REAL;
  cudaStream_t stream;
  CALL(cudaStreamCreate(&stream));

  auto lines = [](cufftHandle *plan) { CALL(cufftPlan1d(plan, 105, CUFFT_C2C, 13)); };
  constexpr size_t Lines = 2 * 105 * 13;
  for (bool inPlace : {false, true}) {
    compare<float>({lines, Lines, Lines, inPlace, LoadC, StoreC, loadC, storeC, 2, 2});
    compare<float>({lines, Lines, Lines, inPlace, LoadC, StoreC, loadC, nullptr, 2, 0});
    compare<float>({lines, Lines, Lines, inPlace, LoadC, StoreC, nullptr, storeC, 0, 2});
    compare<float>({lines, Lines, Lines, inPlace, LoadC, StoreC, loadC, storeC, 2, 2}, stream);
  }

  auto image = [](cufftHandle *plan) { CALL(cufftPlan2d(plan, 9, 14, CUFFT_R2C)); };
  compare<float>({image, 9 * 14, 9 * 8 * 2, false, LoadR, StoreC, loadR, storeC, 1, 2});
  compare<float>({image, 9 * 16, 9 * 8 * 2, true, LoadR, StoreC, loadR, storeC, 1, 2});

  // Rows of 6 complex numbers in 8, two apart, to rows of 10 reals in 11, with room between the transforms.
  auto gaps = [](cufftHandle *plan) {
    int n[] = {5, 10}, in[] = {5, 8}, out[] = {5, 11};
    CALL(cufftPlanMany(plan, 2, n, in, 2, 90, out, 1, 60, CUFFT_C2R, 3));
  };
  compare<float>({gaps, 2 * 3 * 90, 3 * 60, false, LoadC, StoreR, loadC, storeR, 2, 1});

  auto volume = [](cufftHandle *plan) { CALL(cufftPlan3d(plan, 3, 4, 5, CUFFT_D2Z)); };
  compare<double>({volume, 60, 2 * 3 * 4 * 3, false, CUFFT_CB_LD_REAL_DOUBLE,
                   CUFFT_CB_ST_COMPLEX_DOUBLE, loadD, storeZ, 1, 2});
  errors();
  CALL(cudaStreamDestroy(stream));
}
