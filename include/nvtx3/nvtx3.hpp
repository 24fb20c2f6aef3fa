// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX's C++ interface: ranges as objects of a scope, domains as types (NVTX C++ API Reference, version 1). C++11.
//
//   nvtx3::scoped_range range{"step", nvtx3::rgb{0, 128, 0}};
//   void f() { NVTX3_FUNC_RANGE(); ... }
//   struct my_domain { static constexpr char const *name{"my library"}; };
//   nvtx3::scoped_range_in<my_domain> range{"step"};
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP
#define NVTX3_CPP_DEFINITIONS_V1_0
#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0

#include "nvToolsExt.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

namespace detail {

template <typename D, typename = void> struct domain_name {
  static_assert(!std::is_same<D, D>::value,
                "a domain has a static member name of type char const * or wchar_t const *");
};
template <typename D>
struct domain_name<
    D, typename std::enable_if<std::is_convertible<decltype(D::name), const char *>::value>::type> {
  static nvtxDomainHandle_t create() { return nvtxDomainCreateA(D::name); }
};
template <typename D>
struct domain_name<D, typename std::enable_if<
                          std::is_convertible<decltype(D::name), const wchar_t *>::value>::type> {
  static nvtxDomainHandle_t create() { return nvtxDomainCreateW(D::name); }
};

inline void name_category(nvtxDomainHandle_t d, uint32_t id, const char *name) {
  nvtxDomainNameCategoryA(d, id, name);
}
inline void name_category(nvtxDomainHandle_t d, uint32_t id, const wchar_t *name) {
  nvtxDomainNameCategoryW(d, id, name);
}
inline nvtxStringHandle_t register_string(nvtxDomainHandle_t d, const char *text) {
  return nvtxDomainRegisterStringA(d, text);
}
inline nvtxStringHandle_t register_string(nvtxDomainHandle_t d, const wchar_t *text) {
  return nvtxDomainRegisterStringW(d, text);
}

} // namespace detail

/// A domain; one object for each type that names it. Destroyed with the process.
class domain {
public:
  domain(const domain &) = delete;
  domain &operator=(const domain &) = delete;

  struct global {}; ///< names the default domain

  template <typename D = global> static const domain &get() {
    static const domain instance(static_cast<D *>(nullptr));
    return instance;
  }
  operator nvtxDomainHandle_t() const noexcept { return handle_; }

private:
  template <typename D> explicit domain(D *) : handle_(detail::domain_name<D>::create()) {}
  explicit domain(global *) noexcept : handle_(nullptr) {}
  ~domain() {
    if (handle_)
      nvtxDomainDestroy(handle_);
  }
  nvtxDomainHandle_t handle_;
};

struct argb;

struct rgb {
  using component_type = uint8_t;
  constexpr rgb(component_type red_, component_type green_, component_type blue_) noexcept
      : red(red_), green(green_), blue(blue_) {}
  component_type red, green, blue;
};

struct argb final : rgb {
  constexpr argb(component_type alpha_, component_type red_, component_type green_,
                 component_type blue_) noexcept
      : rgb(red_, green_, blue_), alpha(alpha_) {}
  component_type alpha;
};

class color {
public:
  using value_type = uint32_t;
  constexpr explicit color(value_type hex_code) noexcept : value_(hex_code) {}
  constexpr color(argb c) noexcept : value_(bits(c.alpha, c.red, c.green, c.blue)) {}
  constexpr color(rgb c) noexcept : value_(bits(0xff, c.red, c.green, c.blue)) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }

private:
  static constexpr value_type bits(uint32_t a, uint32_t r, uint32_t g, uint32_t b) {
    return a << 24 | r << 16 | g << 8 | b;
  }
  value_type value_;
};

class category {
public:
  using id_type = uint32_t;
  constexpr explicit category(id_type id) noexcept : id_(id) {}
  category() = delete;
  constexpr id_type get_id() const noexcept { return id_; }

private:
  id_type id_;
};

/// A category with a name in domain `D`. A type with static members `id` and `name` gets one object by get().
template <typename D = domain::global> class named_category_in final : public category {
public:
  template <typename C> static const named_category_in &get() {
    static const named_category_in instance(C::id, C::name);
    return instance;
  }
  named_category_in(id_type id, const char *name) noexcept : category(id) {
    detail::name_category(domain::get<D>(), id, name);
  }
  named_category_in(id_type id, const wchar_t *name) noexcept : category(id) {
    detail::name_category(domain::get<D>(), id, name);
  }
};
using named_category = named_category_in<domain::global>;

/// A string that the listener knows. A type with a static member `message` gets one object by get().
template <typename D = domain::global> class registered_string_in {
public:
  template <typename M> static const registered_string_in &get() {
    static const registered_string_in instance(M::message);
    return instance;
  }
  explicit registered_string_in(const char *text) noexcept
      : handle_(detail::register_string(domain::get<D>(), text)) {}
  explicit registered_string_in(const std::string &text) noexcept
      : registered_string_in(text.c_str()) {}
  explicit registered_string_in(const wchar_t *text) noexcept
      : handle_(detail::register_string(domain::get<D>(), text)) {}
  explicit registered_string_in(const std::wstring &text) noexcept
      : registered_string_in(text.c_str()) {}
  nvtxStringHandle_t get_handle() const noexcept { return handle_; }

private:
  nvtxStringHandle_t handle_;
};
using registered_string = registered_string_in<domain::global>;

/// A message of an event. Texts are not copied; a temporary std::string is refused.
class message {
public:
  using value_type = nvtxMessageValue_t;
  message(const char *text) noexcept : type_(NVTX_MESSAGE_TYPE_ASCII) { value_.ascii = text; }
  message(const std::string &text) noexcept : message(text.c_str()) {}
  message(std::string &&) = delete;
  message(const wchar_t *text) noexcept : type_(NVTX_MESSAGE_TYPE_UNICODE) {
    value_.unicode = text;
  }
  message(const std::wstring &text) noexcept : message(text.c_str()) {}
  message(std::wstring &&) = delete;
  template <typename D>
  message(const registered_string_in<D> &text) noexcept : message(text.get_handle()) {}
  message(nvtxStringHandle_t handle) noexcept : type_(NVTX_MESSAGE_TYPE_REGISTERED) {
    value_.registered = handle;
  }
  message(nvtxMessageType_t type, const value_type &value) noexcept : type_(type), value_(value) {}
  value_type get_value() const noexcept { return value_; }
  nvtxMessageType_t get_type() const noexcept { return type_; }

private:
  nvtxMessageType_t type_;
  value_type value_;
};

/// A number of an event.
class payload {
public:
  using value_type = nvtxEventAttributes_v2::payload_t;
  explicit payload(int64_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT64) {
    value_.llValue = value;
  }
  explicit payload(int32_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT32) {
    value_.llValue = 0, value_.iValue = value;
  }
  explicit payload(uint64_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
    value_.ullValue = value;
  }
  explicit payload(uint32_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) {
    value_.ullValue = 0, value_.uiValue = value;
  }
  explicit payload(float value) noexcept : type_(NVTX_PAYLOAD_TYPE_FLOAT) {
    value_.ullValue = 0, value_.fValue = value;
  }
  explicit payload(double value) noexcept : type_(NVTX_PAYLOAD_TYPE_DOUBLE) {
    value_.dValue = value;
  }
  payload(nvtxPayloadType_t type, const value_type &value) noexcept : type_(type), value_(value) {}
  value_type get_value() const noexcept { return value_; }
  nvtxPayloadType_t get_type() const noexcept { return type_; }

private:
  nvtxPayloadType_t type_;
  value_type value_;
};

/// What an event has, in any order; of two of a kind the first counts.
class event_attributes {
public:
  using value_type = nvtxEventAttributes_t;
  event_attributes() noexcept : attributes_() {
    attributes_.version = NVTX_VERSION;
    attributes_.size = sizeof(value_type);
  }
  template <typename... Args>
  explicit event_attributes(const category &c, const Args &...args) noexcept
      : event_attributes(args...) {
    attributes_.category = c.get_id();
  }
  template <typename... Args>
  explicit event_attributes(const color &c, const Args &...args) noexcept
      : event_attributes(args...) {
    attributes_.colorType = c.get_type(), attributes_.color = c.get_value();
  }
  template <typename... Args>
  explicit event_attributes(const rgb &c, const Args &...args) noexcept
      : event_attributes(color(c), args...) {}
  template <typename... Args>
  explicit event_attributes(const argb &c, const Args &...args) noexcept
      : event_attributes(color(c), args...) {}
  template <typename... Args>
  explicit event_attributes(const payload &p, const Args &...args) noexcept
      : event_attributes(args...) {
    attributes_.payloadType = p.get_type(), attributes_.payload = p.get_value();
  }
  template <typename... Args>
  explicit event_attributes(const message &m, const Args &...args) noexcept
      : event_attributes(args...) {
    attributes_.messageType = m.get_type(), attributes_.message = m.get_value();
  }
  const value_type *get() const noexcept { return &attributes_; }

private:
  value_type attributes_;
};

/// A range of this thread from here to the end of the scope.
template <typename D = domain::global> class scoped_range_in {
public:
  scoped_range_in() noexcept : scoped_range_in(event_attributes()) {}
  explicit scoped_range_in(const event_attributes &attributes) noexcept {
    nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
  }
  template <typename First, typename... Args,
            typename = typename std::enable_if<
                !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
  explicit scoped_range_in(const First &first, const Args &...args) noexcept
      : scoped_range_in(event_attributes(first, args...)) {}
  scoped_range_in(const scoped_range_in &) = delete;
  scoped_range_in &operator=(const scoped_range_in &) = delete;
  ~scoped_range_in() noexcept { nvtxDomainRangePop(domain::get<D>()); }
  void *
  operator new(std::size_t) = delete; // it must end on the thread and in the order that it began
};
using scoped_range = scoped_range_in<domain::global>;

/// A range of the process, which any thread may end.
class range_handle {
public:
  using value_type = nvtxRangeId_t;
  constexpr explicit range_handle(value_type id) noexcept : id_(id) {}
  constexpr range_handle() noexcept : id_(0) {}
  constexpr range_handle(std::nullptr_t) noexcept : id_(0) {}
  constexpr explicit operator bool() const noexcept { return id_ != 0; }
  constexpr value_type get_value() const noexcept { return id_; }

private:
  value_type id_;
};
constexpr bool operator==(range_handle a, range_handle b) noexcept {
  return a.get_value() == b.get_value();
}
constexpr bool operator!=(range_handle a, range_handle b) noexcept { return !(a == b); }

template <typename D> range_handle start_range_in(const event_attributes &attributes) noexcept {
  return range_handle(nvtxDomainRangeStartEx(domain::get<D>(), attributes.get()));
}
template <typename D, typename First, typename... Args,
          typename = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
range_handle start_range_in(const First &first, const Args &...args) noexcept {
  return start_range_in<D>(event_attributes(first, args...));
}
inline range_handle start_range(const event_attributes &attributes) noexcept {
  return start_range_in<domain::global>(attributes);
}
template <typename First, typename... Args,
          typename = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
range_handle start_range(const First &first, const Args &...args) noexcept {
  return start_range_in<domain::global>(first, args...);
}
template <typename D> void end_range_in(range_handle range) noexcept {
  nvtxDomainRangeEnd(domain::get<D>(), range.get_value());
}
inline void end_range(range_handle range) noexcept { end_range_in<domain::global>(range); }

/// A range of the process that has an owner, who ends it.
template <typename D = domain::global> class unique_range_in {
public:
  unique_range_in() noexcept : unique_range_in(event_attributes()) {}
  explicit unique_range_in(const event_attributes &attributes) noexcept
      : handle_(start_range_in<D>(attributes)) {}
  template <typename First, typename... Args,
            typename = typename std::enable_if<
                !std::is_same<event_attributes, typename std::decay<First>::type>::value &&
                !std::is_same<unique_range_in, typename std::decay<First>::type>::value>::type>
  explicit unique_range_in(const First &first, const Args &...args) noexcept
      : unique_range_in(event_attributes(first, args...)) {}
  unique_range_in(unique_range_in &&other) noexcept : handle_(other.handle_) {
    other.handle_ = range_handle();
  }
  unique_range_in &operator=(unique_range_in &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  unique_range_in(const unique_range_in &) = delete;
  unique_range_in &operator=(const unique_range_in &) = delete;
  ~unique_range_in() noexcept {
    if (handle_)
      end_range_in<D>(handle_);
  }

private:
  range_handle handle_;
};
using unique_range = unique_range_in<domain::global>;

/// A moment.
template <typename D = domain::global> void mark_in(const event_attributes &attributes) noexcept {
  nvtxDomainMarkEx(domain::get<D>(), attributes.get());
}
template <typename D = domain::global, typename First, typename... Args,
          typename = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
void mark_in(const First &first, const Args &...args) noexcept {
  mark_in<D>(event_attributes(first, args...));
}
inline void mark(const event_attributes &attributes) noexcept {
  mark_in<domain::global>(attributes);
}
template <typename First, typename... Args,
          typename = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
void mark(const First &first, const Args &...args) noexcept {
  mark_in<domain::global>(first, args...);
}

namespace detail {
/// A range of a function if there is one: what NVTX3_FUNC_RANGE_IF makes.
template <typename D> class optional_range {
public:
  optional_range() = default;
  optional_range(const optional_range &) = delete;
  ~optional_range() {
    if (began_)
      nvtxDomainRangePop(domain::get<D>());
  }
  void begin(const event_attributes &attributes) noexcept {
    nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
    began_ = true;
  }

private:
  bool began_ = false;
};
} // namespace detail

} // namespace v1
} // namespace nvtx3

// A range from here to the end of the function, with the function's name. Its string is registered once.
#define NVTX3_V1_FUNC_RANGE_IN(D)                                                                  \
  static const ::nvtx3::v1::registered_string_in<D> nvtx3_func_name__{__func__};                   \
  static const ::nvtx3::v1::event_attributes nvtx3_func_attr__{                                    \
      ::nvtx3::v1::message{nvtx3_func_name__}};                                                    \
  const ::nvtx3::v1::scoped_range_in<D> nvtx3_range__ { nvtx3_func_attr__ }
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C)                                                            \
  ::nvtx3::v1::detail::optional_range<D> nvtx3_range__;                                            \
  if (C) {                                                                                         \
    static const ::nvtx3::v1::registered_string_in<D> nvtx3_func_name__{__func__};                 \
    static const ::nvtx3::v1::event_attributes nvtx3_func_attr__{                                  \
        ::nvtx3::v1::message{nvtx3_func_name__}};                                                  \
    nvtx3_range__.begin(nvtx3_func_attr__);                                                        \
  }
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, C)
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF

#endif
