// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/sampler.h"

#include "opencl/info.h"

using namespace heddle::cl;

namespace {

cl_sampler create(cl_context context, cl_bool isNormalized, cl_addressing_mode addressing,
                  cl_filter_mode filter, std::vector<cl_sampler_properties> properties,
                  cl_int *code) {
  if (!isValid(context))
    return fail(code, CL_INVALID_CONTEXT);
  if (!context->first()->hasImages())
    return fail(code, CL_INVALID_OPERATION);
  constexpr cl_addressing_mode InOrder[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                            CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                            CL_ADDRESS_MIRRORED_REPEAT};
  unsigned mode = 0;
  while (mode != 5 && InOrder[mode] != addressing)
    ++mode;
  if (mode == 5 || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) || isNormalized > 1)
    return fail(code, CL_INVALID_VALUE);
  auto *sampler = new _cl_sampler;
  sampler->context = Ref(context);
  sampler->isNormalized = isNormalized;
  sampler->addressing = addressing;
  sampler->filter = filter;
  sampler->properties = std::move(properties);
  sampler->bits = mode * 2 | isNormalized | (filter == CL_FILTER_LINEAR ? 0x20u : 0x10u);
  return succeed(code, sampler);
}

} // namespace

cl_sampler clCreateSampler(cl_context context, cl_bool isNormalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, cl_int *code) {
  return create(context, isNormalized, addressing, filter, {}, code);
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *list,
                                         cl_int *code) {
  cl_bool isNormalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  std::vector<cl_sampler_properties> given;
  for (const cl_sampler_properties *at = list; at && *at; at += 2) {
    for (size_t i = 0; i < given.size(); i += 2)
      if (given[i] == *at)
        return fail(code, CL_INVALID_VALUE);
    if (*at == CL_SAMPLER_NORMALIZED_COORDS)
      isNormalized = static_cast<cl_bool>(at[1]);
    else if (*at == CL_SAMPLER_ADDRESSING_MODE)
      addressing = static_cast<cl_addressing_mode>(at[1]);
    else if (*at == CL_SAMPLER_FILTER_MODE)
      filter = static_cast<cl_filter_mode>(at[1]);
    else
      return fail(code, CL_INVALID_VALUE);
    given.insert(given.end(), at, at + 2);
  }
  if (list)
    given.push_back(0);
  return create(context, isNormalized, addressing, filter, std::move(given), code);
}

cl_int clRetainSampler(cl_sampler sampler) {
  if (!isValid(sampler))
    return CL_INVALID_SAMPLER;
  sampler->retain();
  return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler) {
  if (!isValid(sampler))
    return CL_INVALID_SAMPLER;
  sampler->release();
  return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value,
                        size_t *sizeReturned) {
  if (!isValid(sampler))
    return CL_INVALID_SAMPLER;
  const Room room = {size, value, sizeReturned};
  switch (name) {
  case CL_SAMPLER_REFERENCE_COUNT:
    return room.give<cl_uint>(sampler->references);
  case CL_SAMPLER_CONTEXT:
    return room.give(sampler->context.get());
  case CL_SAMPLER_NORMALIZED_COORDS:
    return room.give(sampler->isNormalized);
  case CL_SAMPLER_ADDRESSING_MODE:
    return room.give(sampler->addressing);
  case CL_SAMPLER_FILTER_MODE:
    return room.give(sampler->filter);
  case CL_SAMPLER_PROPERTIES:
    return room.give(sampler->properties);
  default:
    return CL_INVALID_VALUE;
  }
}
