// FLAGS: -std=c++20 --expt-relaxed-constexpr --extended-lambda
#include "h.h"
#include <variant>
#include <optional>
#include <tuple>
#include <array>
#include <utility>
#include <limits>
#include <algorithm>
#include <numeric>
#include <string_view>
#include <bit>
// What of the standard library works in kernels with --expt-relaxed-constexpr.
struct Circle { float r; }; struct Rect { float w, h; }; struct Tri { float a, b, c; };
using Shape = std::variant<Circle, Rect, Tri>;
__host__ __device__ float area(const Shape &s) { if (auto *c = std::get_if<Circle>(&s)) return 3.0f * c->r * c->r; if (auto *r = std::get_if<Rect>(&s)) return r->w * r->h; auto *t = std::get_if<Tri>(&s); return t->a * t->b * 0.5f + t->c; }
__host__ __device__ Shape make(int i) { switch (i % 3) { case 0: return Circle{(float)(i % 11)}; case 1: return Rect{(float)(i % 5), (float)(i % 7)}; default: return Tri{1.0f * (i % 3), 2, 3}; } }
constexpr std::array<unsigned, 256> crcTable = [] { std::array<unsigned, 256> t{}; for (unsigned i = 0; i < 256; i++) { unsigned c = i; for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1; t[i] = c; } return t; }();
__constant__ auto crcConst = crcTable;
#ifdef __CUDA_ARCH__
#define TAB crcConst
#define WORDS words
#else
#define TAB crcTable
#define WORDS hwords
#endif

constexpr std::string_view hwords[] = {"alpha", "beta", "gamma", "delta"};
__device__ constexpr std::string_view words[] = {"alpha", "beta", "gamma", "delta"};
__host__ __device__ unsigned crc(const char *p, int n) { unsigned c = ~0u; for (int i = 0; i < n; i++) c = TAB[(c ^ (unsigned char)p[i]) & 255] ^ (c >> 8); return ~c; }
__host__ __device__ std::optional<int> root(int v) { for (int i = 0; i * i <= v; i++) if (i * i == v) return i; return std::nullopt; }
__host__ __device__ std::pair<int, int> minmaxOf(const int *p, int n) { int a = std::numeric_limits<int>::max(), b = std::numeric_limits<int>::min(); for (int i = 0; i < n; i++) a = std::min(a, p[i]), b = std::max(b, p[i]); return {a, b}; }
__host__ __device__ void body(int i, const int *in, int *out, float *area_, int n, int *st) { int q_ = 0;
#define ST st[i * 20 + q_++] = h;

  Shape s = make(i); Shape s2 = s; if (i & 1) s2 = Rect{1, 2}; area_[i] = area(s) + area(s2) * 1000 + s.index();
  int h = 0; std::array<int, 8> a; for (int j = 0; j < 8; j++) a[j] = in[(i + j * j) % n];
  std::sort(a.begin(), a.end()); h += a[0] * 3 + a[7]; h ^= std::accumulate(a.begin(), a.end(), 0); h += *std::max_element(a.begin(), a.end()); h += (int)(std::lower_bound(a.begin(), a.end(), 500) - a.begin());
  ST std::swap(a[1], a[6]); std::reverse(a.begin(), a.begin() + 5); h = h * 31 + a[2]; h += std::count_if(a.begin(), a.end(), [](int x) { return x & 1; });
  ST auto [mn, mx] = minmaxOf(a.data(), 8); h += mx - mn; h += std::clamp(in[i], 100, 900); h += std::gcd(in[i] + 1, 360) + std::lcm(in[i] % 7 + 1, 4);
  ST std::tuple<int, char, short> t{i, 'c', (short)(i * 3)}; auto &[t0, t1, t2] = t; t0 += t1; h ^= std::get<0>(t) + t2; t = std::make_tuple(1, 'd', (short)2); h += std::get<1>(t);
  ST if (auto r = root(in[i] % 50)) h += *r * 1000; else h -= 5; h += std::bit_ceil((unsigned)in[i]) + std::bit_width((unsigned)in[i]); ST std::string_view w = WORDS[i & 3]; ST h ^= crc("heddle", 6); ST for (char c : w) h = h * 7 + c; ST h += w.size(); ST h += std::exchange(a[3], 9); h += a[3];
  out[i] = h; }
__global__ void k(const int *in, int *out, float *area_, int n, int *st) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) body(i, in, out, area_, n, st); }
int main() { const int n = 5000; int *in, *out, *o2, *st, *s2; float *ar; CHECK(cudaMallocManaged(&in, n * 4)); CHECK(cudaMallocManaged(&out, n * 4)); CHECK(cudaMallocManaged(&o2, n * 4)); CHECK(cudaMallocManaged(&st, n * 80)); CHECK(cudaMallocManaged(&s2, n * 80)); CHECK(cudaMallocManaged(&ar, n * 4)); for (int i = 0; i < n; i++) in[i] = rnd() % 1000; k<<<(n + 127) / 128, 128>>>(in, out, ar, n, st); CHECK(cudaDeviceSynchronize()); for (int i = 0; i < n; i++) body(i, in, o2, ar, n, s2); int shown = 0; for (int i = 0; i < n && shown < 4; i++) if (out[i] != o2[i]) { shown++; printf("%d:", i); for (int k = 0; k < 9; k++) printf(" %d/%d", st[i * 20 + k], s2[i * 20 + k]); printf(" in %d\n", in[i]); } printf("dev %016llx host %016llx\n", (unsigned long long)hashBytes(out, n * 4), (unsigned long long)hashBytes(o2, n * 4)); for (int k = 0; k < 9; k++) { unsigned x = 0; for (int i = 0; i < n; i++) x = x * 31 + st[i * 20 + k]; printf("%d %08x\n", k, x); } }
