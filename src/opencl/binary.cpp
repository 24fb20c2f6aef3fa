// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binaries of programs: what clGetProgramInfo gives and clCreateProgramWithBinary takes.
#include "opencl/bytes.h"
#include "opencl/program.h"

#include "base/hash.h"

#include <cstring>

namespace heddle::cl {

namespace {

constexpr char Magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'C', 'L'};
constexpr uint32_t Version = 3;

void write(Writer &to, const opencl::Kernel &kernel) {
  to.text(kernel.name);
  to.text(kernel.attributes);
  for (const auto *shape : {&kernel.requiredShape, &kernel.shapeHint})
    for (uint32_t extent : *shape)
      to.number(extent);
  to.number(kernel.isUniform);
  to.number(kernel.needsRange);
  to.number(kernel.isFree);
  to.number(static_cast<uint32_t>(kernel.arguments.size()));
  for (const opencl::Argument &argument : kernel.arguments) {
    for (uint32_t value : {static_cast<uint32_t>(argument.kind), argument.size, argument.align,
                           argument.addressSpace})
      to.number(value);
    for (const std::string *text :
         {&argument.access, &argument.type, &argument.name, &argument.qualifiers})
      to.text(*text);
  }
}

opencl::Kernel readKernel(Reader &from) {
  opencl::Kernel kernel;
  kernel.name = from.text();
  kernel.attributes = from.text();
  for (auto *shape : {&kernel.requiredShape, &kernel.shapeHint})
    for (uint32_t &extent : *shape)
      extent = from.number();
  kernel.isUniform = from.number();
  kernel.needsRange = from.number();
  kernel.isFree = from.number();
  for (uint32_t count = from.number(); count && from.isGood(); --count) {
    opencl::Argument argument;
    argument.kind = static_cast<opencl::ArgumentKind>(from.number());
    argument.size = from.number();
    argument.align = from.number();
    argument.addressSpace = from.number();
    for (std::string *text :
         {&argument.access, &argument.type, &argument.name, &argument.qualifiers})
      *text = from.text();
    kernel.arguments.push_back(std::move(argument));
  }
  return kernel;
}

} // namespace

std::string writeBinary(const Binary &binary) {
  Writer body;
  body.number(static_cast<uint32_t>(binary.stage));
  body.text(binary.options);
  body.text(binary.code);
  body.number(static_cast<uint32_t>(binary.globalBytes));
  body.number(static_cast<uint32_t>(binary.globalBytes >> 32));
  body.number(static_cast<uint32_t>(binary.kernels.size()));
  for (const opencl::Kernel &kernel : binary.kernels)
    write(body, kernel);
  const Hash128 sum = hashOf(std::span<const uint8_t>(
      reinterpret_cast<const uint8_t *>(body.bytes.data()), body.bytes.size()));
  Writer all;
  all.bytes.assign(Magic, sizeof(Magic));
  all.number(Version);
  all.bytes.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
  return all.bytes + body.bytes;
}

Binary readBinary(const unsigned char *bytes, size_t size) {
  constexpr size_t Start = sizeof(Magic) + sizeof(Version) + sizeof(Hash128);
  if (size < Start || std::memcmp(bytes, Magic, sizeof(Magic)) ||
      std::memcmp(bytes + sizeof(Magic), &Version, sizeof(Version)))
    return {};
  const Hash128 sum = hashOf(std::span<const uint8_t>(bytes + Start, size - Start));
  if (std::memcmp(bytes + sizeof(Magic) + sizeof(Version), &sum, sizeof(sum)))
    return {};
  Reader from({reinterpret_cast<const char *>(bytes) + Start, size - Start});
  Binary binary;
  binary.stage = static_cast<Stage>(from.number());
  binary.options = from.text();
  binary.code = from.text();
  binary.globalBytes = from.number();
  binary.globalBytes |= static_cast<uint64_t>(from.number()) << 32;
  for (uint32_t count = from.number(); count && from.isGood(); --count)
    binary.kernels.push_back(readKernel(from));
  return from.isGood() ? binary : Binary();
}

} // namespace heddle::cl
