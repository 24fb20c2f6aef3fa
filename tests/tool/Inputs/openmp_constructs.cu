// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each OpenMP construct of host code that is compiled to calls of libgomp, with the results that the standard gives.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <vector>

int wrong = 0;
void expect(const char *what, long got, long want) {
  if (got != want)
    printf("wrong: %s is %ld, not %ld\n", what, got, want), ++wrong;
}

// --- Parallel regions ---

void manyVariables() {
  int a[40];
  for (int i = 0; i < 40; ++i)
    a[i] = i;
  int &v0 = a[0], &v1 = a[1], &v2 = a[2], &v3 = a[3], &v4 = a[4], &v5 = a[5], &v6 = a[6], &v7 = a[7], &v8 = a[8],
      &v9 = a[9], &w0 = a[10], &w1 = a[11], &w2 = a[12], &w3 = a[13], &w4 = a[14], &w5 = a[15], &w6 = a[16],
      &w7 = a[17], &w8 = a[18], &w9 = a[19];
  long sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(3)
  sum += v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + w0 + w1 + w2 + w3 + w4 + w5 + w6 + w7 + w8 + w9;
  expect("many variables", sum, 3 * 190);
}

void regions() {
  int threads = 0, inner = 0, serial = 0, level = 0, first = -1;
#pragma omp parallel num_threads(4)
  {
#pragma omp atomic
    ++threads;
#pragma omp parallel num_threads(2) if (omp_get_thread_num() == 1)
    {
#pragma omp critical(inner)
      ++inner;
#pragma omp master
      if (omp_get_ancestor_thread_num(1) == 2)
        serial = omp_get_num_threads(), level = omp_get_level();
    }
#pragma omp barrier
#pragma omp masked filter(3)
    first = omp_get_thread_num();
  }
  expect("threads", threads, 4);
  expect("inner", inner, omp_get_max_active_levels() > 1 ? 5 : 4);
  expect("serial", serial * 10 + level, 12);
  expect("masked", first, 3);
  int bound = 0, defaultThreads = 0;
#pragma omp parallel proc_bind(close) num_threads(2)
#pragma omp single nowait
  bound = omp_get_num_threads();
#pragma omp parallel
#pragma omp single
  defaultThreads = omp_get_num_threads();
  expect("bound", bound, 2);
  expect("default", defaultThreads, omp_get_max_threads());
}

thread_local int ofThread = 5;
int copied = 7;
#pragma omp threadprivate(copied)
void privates() {
  copied = 9;
  int sum = 0, last = 0, given = 3;
#pragma omp parallel copyin(copied) firstprivate(given) num_threads(3)
  {
    given += omp_get_thread_num();
#pragma omp atomic
    sum += copied + given;
#pragma omp for lastprivate(last) schedule(static, 2)
    for (int i = 0; i < 11; ++i)
      last = i * 2;
  }
  expect("copyin", sum, 3 * 9 + 3 * 3 + 3);
  expect("lastprivate", last, 20);
}

// --- Loops ---

#define PRAGMA(text) _Pragma(#text)
#define LOOP(SCHEDULE, T, begin, test, step)                                                                           \
  {                                                                                                                    \
    long sum = 0, count = 0, last = -1, lastWanted = -1;                                                               \
    for (T i = begin; i test; i step)                                                                                  \
      sum -= long(i), --count, lastWanted = long(i);                                                                   \
    PRAGMA(omp parallel for num_threads(3) reduction(+ : sum, count) lastprivate(last) SCHEDULE)                       \
    for (T i = begin; i test; i step)                                                                                  \
      sum += long(i), ++count, last = long(i);                                                                         \
    expect(#SCHEDULE " " #T " sum", sum, 0);                                                                           \
    expect(#SCHEDULE " " #T " count", count, 0);                                                                       \
    expect(#SCHEDULE " " #T " last", last, lastWanted);                                                                \
  }
#define LOOPS(SCHEDULE)                                                                                                \
  LOOP(SCHEDULE, int, 0, < 1000, ++)                                                                                   \
  LOOP(SCHEDULE, int, 500, > -301, -= 7)                                                                               \
  LOOP(SCHEDULE, unsigned, 3u, < 1001u, += 3)                                                                          \
  LOOP(SCHEDULE, long, -5000000000l, < 5000000000l, += 99999999)                                                       \
  LOOP(SCHEDULE, unsigned long, 1ul << 40, <= (1ul << 40) + 77, ++)                                                    \
  LOOP(SCHEDULE, short, 0, < 2, ++)

void loops() {
  LOOPS()
  LOOPS(schedule(static))
  LOOPS(schedule(static, 7))
  LOOPS(schedule(dynamic))
  LOOPS(schedule(dynamic, 5))
  LOOPS(schedule(nonmonotonic : dynamic, 3))
  LOOPS(schedule(guided, 4))
  LOOPS(schedule(auto))
  omp_set_schedule(omp_sched_dynamic, 2);
  LOOPS(schedule(runtime))
  long none = 5;
#pragma omp parallel for schedule(dynamic) num_threads(3) reduction(+ : none)
  for (int i = 10; i < wrong; ++i)
    ++none;
  expect("no iterations", none, 5);
  double wide[300];
#pragma omp parallel for simd num_threads(3) schedule(simd : static, 4)
  for (int i = 0; i < 300; ++i)
    wide[i] = i * 0.5;
  for (int i = 0; i < 300; ++i)
    expect("simd", long(wide[i] * 2), i);
}

void orders() {
  std::vector<int> order;
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(4)
  for (int i = 0; i < 50; ++i) {
    int twice = i * 2;
#pragma omp ordered
    order.push_back(twice);
  }
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
  for (int i = 50; i < 60; ++i) {
#pragma omp ordered
    order.push_back(i * 2);
  }
  for (int i = 0; i < 60; ++i)
    expect("ordered", order[size_t(i)], i * 2);
  long inner = 0;
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : inner)
  for (int i = 0; i < 6; ++i) {
    long here = 0;
#pragma omp parallel for schedule(guided) num_threads(2) reduction(+ : here)
    for (int k = 0; k < 10; ++k)
      here += k;
    inner += here;
  }
  expect("loop in loop", inner, 6 * 45);
  long collapsed = 0;
#pragma omp parallel for collapse(2) schedule(dynamic, 2) reduction(+ : collapsed) num_threads(3)
  for (int i = 0; i < 7; ++i)
    for (int k = 2; k < 9; k += 2)
      collapsed += i * 100 + k;
  expect("collapse", collapsed, 100 * 21 * 4 + 7 * 20);
}

void sections() {
  int parts[3] = {};
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    parts[0] = 1;
#pragma omp section
    parts[1] = 2;
#pragma omp section
    parts[2] = 3;
  }
  expect("sections", parts[0] * 100 + parts[1] * 10 + parts[2], 123);
}

struct Pair {
  long a, b;
};
#pragma omp declare reduction(add : Pair : omp_out.a += omp_in.a, omp_out.b -= omp_in.b) initializer(omp_priv = Pair{0, 0})
void reductions() {
  int least = 1000, bits = -1, all = 1, any = 0;
  double product = 1;
  Pair pair = {1, 1};
  long array[5] = {};
#pragma omp parallel for num_threads(4) reduction(min : least) reduction(& : bits) reduction(&& : all) reduction(|| : any) \
    reduction(* : product) reduction(add : pair) reduction(+ : array[ : 5])
  for (int i = 1; i <= 20; ++i) {
    least = i * 3 < least ? i * 3 : least;
    bits &= ~(i == 7 ? 8 : 0);
    all = all && i < 20;
    any = any || i == 5;
    product *= i % 2 ? 2 : 0.5;
    pair.a += i;
    pair.b -= i;
    array[i % 5] += i;
  }
  expect("min and bits", least * 10 + (bits == ~8), 31);
  expect("logical", all * 10 + any, 1);
  expect("product", long(product), 1);
  expect("own reduction", pair.a * 1000 + pair.b, 211 * 1000 + 211);
  expect("array", array[0] * 100 + array[4], 50 * 100 + 42 + 4);
}

// --- Tasks ---

int fibonacci(int n) {
  if (n < 2)
    return n;
  int a, b;
#pragma omp task shared(a) if (n > 5)
  a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 4) mergeable
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

struct Counted {
  static int alive;
  int value;
  explicit Counted(int v) : value(v) {
#pragma omp atomic
    ++alive;
  }
  Counted(const Counted &other) : Counted(other.value) {}
  ~Counted() {
#pragma omp atomic
    --alive;
  }
};
int Counted::alive = 0;

void tasks() {
  int result = 0, chain = 0, objects = 0, looped = 0, last = 0, grouped = 0;
  alignas(64) double aligned[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    result = fibonacci(15);
    for (int i = 1; i <= 10; ++i) {
#pragma omp task depend(inout : chain) firstprivate(i) priority(i)
      chain = chain * 2 % 1009 + i;
    }
    int out = 0;
#pragma omp task depend(in : chain) depend(out : out) shared(out)
    out = chain;
#pragma omp taskwait depend(in : out)
    grouped = out;
    Counted counted(40);
#pragma omp taskgroup
    {
      for (int i = 0; i < 5; ++i) {
#pragma omp task firstprivate(counted) untied
        {
#pragma omp taskyield
#pragma omp atomic
          objects += counted.value;
        }
      }
    }
#pragma omp task firstprivate(aligned) shared(sum)
    {
#pragma omp critical
      sum += reinterpret_cast<uintptr_t>(aligned) % 64 == 0 ? aligned[7] : -1000;
    }
#pragma omp taskwait
#pragma omp taskloop grainsize(7) lastprivate(last) shared(looped)
    for (int i = 3; i < 103; ++i) {
#pragma omp atomic
      looped += i;
      last = i;
    }
#pragma omp taskloop num_tasks(5) if (result == 0) firstprivate(counted)
    for (long i = 20; i > 0; i -= 2) {
#pragma omp atomic
      looped += int(i) + counted.value;
    }
  }
  expect("fibonacci", result, 610);
  int want = 0;
  for (int i = 1; i <= 10; ++i)
    want = want * 2 % 1009 + i;
  expect("dependent tasks", chain * 10000 + grouped, want * 10000 + want);
  expect("tasks' objects", objects * 10 + Counted::alive, 2000);
  expect("aligned", long(sum), 8);
  expect("taskloop", looped, 5250 + 110 + 400);
  expect("taskloop's last", last, 102);
}

void locks() {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  int plain = 0, twice = 0, unnamed = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 100; ++i) {
    omp_set_lock(&lock);
    ++plain;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nested);
    omp_set_nest_lock(&nested);
    ++twice;
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
#pragma omp critical
    ++unnamed;
#pragma omp flush
  }
  expect("locks", (plain + twice) * 1000 + unnamed, 800400);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
}

int main() {
  omp_set_dynamic(0);
  manyVariables();
  regions();
  privates();
  loops();
  orders();
  sections();
  reductions();
  tasks();
  locks();
  puts(wrong ? "wrong" : "all right");
  return wrong != 0;
}
