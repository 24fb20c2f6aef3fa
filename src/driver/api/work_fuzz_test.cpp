// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random calls of functions of contexts, streams and events from several threads, with a model of
// what must hold: which context is current, which error a call gives, and that work runs in the
// order that streams and events say, also where its stream or its context is destroyed meanwhile.
// Longer: base/test_fuzz.h.
#include "driver/api/work_fuzz_model.h"

#include "base/test_fuzz.h"

#include <memory>
#include <thread>
#include <vector>

namespace {

class Player : Model {
public:
  Player(const Shared &shared, unsigned seed) : Model(seed), shared_(shared) {}

  void play(unsigned count) {
    for (unsigned i = 0; i < count && !testing::Test::HasFailure(); ++i)
      call();
    while (!live_.empty())
      destroy(*live_.back());
    openGates();
    while (!stack_.empty())
      pop();
    EXPECT_ERROR(INVALID_CONTEXT, cu.cuCtxPopCurrent_v2(nullptr));
  }

private:
  void create() {
    if (live_.size() == 3)
      return destroy(*someContext());
    auto context = std::make_unique<Context>();
    EXPECT_OK(cu.cuCtxCreate_v2(&context->handle, 0, 0));
    context->legacy = {nullptr, context.get(), true, newLane(*context)};
    context->perThread = {cudaStreamPerThread, context.get(), true, newLane(*context)};
    const CUDA_HOST_NODE_PARAMS nothing = {runHost, nullptr};
    EXPECT_OK(cu.cuGraphCreate(&context->graph, 0));
    EXPECT_OK(cu.cuGraphAddHostNode(&context->node, context->graph, nullptr, 0, &nothing));
    EXPECT_OK(cu.cuGraphInstantiateWithFlags(&context->exec, context->graph, 0));
    stack_.push_back(context.get());
    live_.push_back(context.get());
    contexts_.push_back(std::move(context));
  }

  /// While work of it is held up, which another thread lets go.
  void destroy(Context &context) {
    std::thread opener([this] {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      gates_.write(closed_);
    });
    EXPECT_OK(cu.cuCtxDestroy_v2(context.handle));
    opener.join();
    opened_ = closed_;
    if (current() == &context)
      stack_.pop_back();
    context.isLive = false;
    std::erase(live_, &context);
    for (Lane *lane : context.lanes)
      EXPECT_TRUE(lane->isDone());
    EXPECT_ERROR(INVALID_CONTEXT, cu.cuCtxPushCurrent_v2(context.handle));
    for (auto &stream : context.streams)
      EXPECT_EQ(cu.cuStreamQuery(stream->handle), expected(CUDA_ERROR_INVALID_HANDLE));
    for (auto &event : context.events)
      EXPECT_EQ(cu.cuEventQuery(event->handle), expected(CUDA_ERROR_INVALID_HANDLE));
    EXPECT_EQ(cu.cuGraphLaunch(context.exec, cudaStreamLegacy),
              expected(CUDA_ERROR_CONTEXT_IS_DESTROYED));
    EXPECT_OK(cu.cuGraphExecDestroy(context.exec));
    EXPECT_OK(cu.cuGraphDestroy(context.graph));
  }

  void push() {
    Context *context = someContext();
    if (!context || stack_.size() > 5)
      return pop();
    EXPECT_OK(cu.cuCtxPushCurrent_v2(context->handle));
    stack_.push_back(context);
  }

  void pop() {
    CUcontext handle = nullptr;
    if (stack_.empty()) {
      EXPECT_ERROR(INVALID_CONTEXT, cu.cuCtxPopCurrent_v2(&handle));
      return;
    }
    EXPECT_OK(cu.cuCtxPopCurrent_v2(&handle));
    EXPECT_EQ(handle, current()->handle);
    stack_.pop_back();
  }

  void set() {
    Context *context = someContext();
    if (!context)
      return;
    EXPECT_OK(cu.cuCtxSetCurrent(context->handle));
    if (!stack_.empty())
      stack_.pop_back();
    stack_.push_back(context);
  }

  void ask() {
    CUcontext handle = nullptr;
    EXPECT_OK(cu.cuCtxGetCurrent(&handle));
    EXPECT_EQ(handle, current() ? current()->handle : nullptr);
    if (Stream *stream = someStream()) {
      EXPECT_EQ(cu.cuStreamGetCtx(stream->handle, &handle), expected());
      if (works()) {
        EXPECT_EQ(handle, stream->context->handle);
      }
    }
  }

  void synchronize() {
    openGates();
    EXPECT_EQ(cu.cuCtxSynchronize(), expected());
    if (works())
      for (Lane *lane : current()->lanes)
        EXPECT_TRUE(lane->isDone());
  }

  void createStream() {
    const bool isBlocking = below(2);
    CUstream handle = nullptr;
    EXPECT_EQ(cu.cuStreamCreateWithPriority(
                  &handle, isBlocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING, -int(below(6))),
              expected());
    if (works())
      current()->streams.push_back(
          std::make_unique<Stream>(Stream{handle, current(), isBlocking, newLane(*current())}));
  }

  void destroyStream() {
    Context *context = someContext();
    if (!context || context->streams.empty())
      return createStream();
    auto &streams = context->streams;
    auto stream = streams.begin() + below(streams.size());
    EXPECT_EQ(cu.cuStreamDestroy_v2((*stream)->handle), expectedThere());
    if (!worksThere())
      return;
    if (works())
      EXPECT_ERROR(INVALID_HANDLE, cu.cuStreamQuery((*stream)->handle));
    leftBlocking_[context].merge(Places(
        (*stream)->isBlocking ? Places{{(*stream)->lane, (*stream)->lane->submitted}} : Places()));
    streams.erase(stream);
  }

  /// What the next work of a stream comes behind because of the legacy stream.
  void orderByLegacy(Stream &stream, Places &behind) {
    Context &context = *stream.context;
    auto add = [&](const Stream &other) { behind[other.lane] = other.lane->submitted; };
    if (&stream != &context.legacy) {
      if (stream.isBlocking)
        add(context.legacy);
      return;
    }
    add(context.perThread);
    for (auto &other : context.streams)
      if (other->isBlocking)
        add(*other);
    for (auto [lane, number] : leftBlocking_[&context])
      behind[lane] = number;
  }

  std::unique_ptr<Step> nextStep(Stream &stream) {
    Lane &lane = *stream.lane;
    auto step = std::make_unique<Step>(Step{&lane, lane.submitted + 1, stream.behind, !below(8)});
    orderByLegacy(stream, step->behind);
    step->behind.erase(&lane);
    return step;
  }

  void submit() {
    Stream *stream = someStream();
    if (!stream)
      return createStream();
    auto step = nextStep(*stream);
    CUresult error = cu.cuStreamAddCallback(stream->handle, run, step.get(), 0);
    EXPECT_EQ(error, expected());
    if (error != CUDA_SUCCESS)
      return;
    ++stream->lane->submitted;
    step.release();
  }

  /// Holds a stream up until openGates(), which every call that waits is behind.
  void hold() {
    Stream *stream = someStream();
    if (!stream)
      return;
    EXPECT_EQ(cu.cuStreamWaitValue32_v2(stream->handle, gates_.at(), closed_ + 1,
                                        CU_STREAM_WAIT_VALUE_GEQ),
              expected());
    if (works())
      stream->lane->gate = ++closed_;
  }
  void openGates() { gates_.write(opened_ = closed_); }

  void queryStream() {
    Stream *stream = someStream();
    if (!stream)
      return;
    CUresult error = cu.cuStreamQuery(stream->handle);
    if (error != CUDA_ERROR_NOT_READY || !worksThere()) {
      EXPECT_EQ(error, expectedThere());
    }
    if (error == CUDA_SUCCESS) {
      EXPECT_TRUE(stream->lane->isDone());
      EXPECT_LE(stream->lane->gate, opened_);
    }
  }

  void synchronizeStream() {
    Stream *stream = someStream();
    if (!stream)
      return;
    openGates();
    EXPECT_EQ(cu.cuStreamSynchronize(stream->handle), expectedThere());
    if (worksThere()) {
      EXPECT_TRUE(stream->lane->isDone());
    }
  }

  /// A graph of one context, in a stream of any: its host function is another one each time.
  void launch() {
    Context *context = someContext();
    Stream *stream = someStream();
    if (!context || !stream)
      return;
    auto step = nextStep(*stream);
    const CUDA_HOST_NODE_PARAMS params = {runHost, step.get()};
    EXPECT_OK(cu.cuGraphExecHostNodeSetParams(context->exec, context->node, &params));
    CUresult error = cu.cuGraphLaunch(context->exec, stream->handle);
    EXPECT_EQ(error, expectedThere());
    if (error != CUDA_SUCCESS)
      return;
    ++stream->lane->submitted;
    step.release();
  }

  // Events.

  void createEvent() {
    CUevent handle = nullptr;
    EXPECT_EQ(cu.cuEventCreate(&handle, below(2) ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT),
              expected());
    if (works())
      current()->events.push_back(std::make_unique<Event>(Event{handle, current()}));
  }

  void destroyEvent() {
    Context *context = someContext();
    if (!context || context->events.empty())
      return createEvent();
    auto event = context->events.begin() + below(context->events.size());
    EXPECT_EQ(cu.cuEventDestroy_v2((*event)->handle), expectedThere());
    if (worksThere())
      context->events.erase(event);
  }

  void record() {
    Event *event = someEvent();
    Stream *stream = someStream();
    if (!event || !stream)
      return createEvent();
    const bool fits = event->context == stream->context;
    EXPECT_EQ(cu.cuEventRecord(event->handle, stream->handle),
              expectedThere(fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE));
    if (fits && worksThere())
      event->lane = stream->lane, event->number = stream->lane->submitted,
      event->gate = stream->lane->gate;
  }

  void wait() {
    Event *event = someEvent();
    Stream *stream = someStream();
    if (!event || !stream)
      return;
    EXPECT_EQ(cu.cuStreamWaitEvent(stream->handle, event->handle, 0), expectedThere());
    if (worksThere() && event->lane) {
      unsigned &number = stream->behind[event->lane];
      number = std::max(number, event->number);
      stream->lane->gate = std::max(stream->lane->gate, event->gate);
    }
  }

  bool isReached(const Event &event) { return !event.lane || event.lane->done >= event.number; }

  void queryEvent() {
    Event *event = someEvent();
    if (!event)
      return;
    CUresult error = cu.cuEventQuery(event->handle);
    if (error != CUDA_ERROR_NOT_READY || !worksThere()) {
      EXPECT_EQ(error, expectedThere());
    }
    if (error == CUDA_SUCCESS) {
      EXPECT_TRUE(isReached(*event));
      EXPECT_LE(event->gate, opened_);
    }
  }

  void synchronizeEvent() {
    Event *event = someEvent();
    if (!event)
      return;
    openGates();
    EXPECT_EQ(cu.cuEventSynchronize(event->handle), expectedThere());
    if (worksThere()) {
      EXPECT_TRUE(isReached(*event));
    }
  }

  /// What others use at the same time.
  void useShared() {
    CUevent event = shared_.events[below(3)];
    EXPECT_OK(cu.cuCtxPushCurrent_v2(shared_.context));
    switch (below(4)) {
    case 0:
      EXPECT_OK(cu.cuEventRecord(event, shared_.streams[below(2)]));
      break;
    case 1:
      EXPECT_OK(cu.cuStreamWaitEvent(shared_.streams[below(2)], event, 0));
      break;
    case 2:
      EXPECT_OK(cu.cuEventSynchronize(event));
      break;
    case 3:
      if (Stream *stream = someStream(); stream && stream->handle != cudaStreamPerThread)
        EXPECT_OK(cu.cuStreamWaitEvent(stream->handle, event, 0));
      break;
    }
    EXPECT_OK(cu.cuCtxPopCurrent_v2(nullptr));
  }

  void call() {
    using Call = void (Player::*)();
    static constexpr struct {
      Call call;
      unsigned weight;
    } calls[] = {{&Player::create, 2},
                 {&Player::push, 1},
                 {&Player::pop, 1},
                 {&Player::set, 1},
                 {&Player::ask, 1},
                 {&Player::synchronize, 1},
                 {&Player::createStream, 2},
                 {&Player::createEvent, 2},
                 {&Player::queryStream, 3},
                 {&Player::destroyStream, 1},
                 {&Player::destroyEvent, 1},
                 {&Player::queryEvent, 3},
                 {&Player::record, 6},
                 {&Player::wait, 6},
                 {&Player::submit, 12},
                 {&Player::launch, 2},
                 {&Player::hold, 3},
                 {&Player::openGates, 1},
                 {&Player::useShared, 2},
                 {&Player::synchronizeStream, 1},
                 {&Player::synchronizeEvent, 1}};
    unsigned place = below(53);
    const auto *chosen = calls;
    for (; place >= chosen->weight; ++chosen)
      place -= chosen->weight;
    (this->*chosen->call)();
  }

  const Shared &shared_;
  Words gates_; ///< the first word: the latest that is open
  unsigned opened_ = 0, closed_ = 0;
  std::map<Context *, Places> leftBlocking_; ///< of streams that are destroyed
};

TEST(WorkFuzz, keepsOrder) {
  const heddle::test::FuzzRun run;
  const unsigned count = 10000 * run.factor;
  NewContext context;
  Shared shared = {context.handle, {}, {}};
  for (CUstream &stream : shared.streams)
    ASSERT_OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (CUevent &event : shared.events)
    ASSERT_OK(cu.cuEventCreate(&event, CU_EVENT_DEFAULT));
  std::vector<std::unique_ptr<Player>> players;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    players.push_back(std::make_unique<Player>(shared, static_cast<unsigned>(run.seed) * 16 + i));
  for (auto &player : players)
    threads.emplace_back([&] { player->play(count); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_OK(cu.cuCtxSynchronize());
  EXPECT_EQ(wrongOrders, 0u);
}

} // namespace
