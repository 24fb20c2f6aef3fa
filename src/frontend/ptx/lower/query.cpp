// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What textures and surfaces are like (PTX ISA, "txq", "istypep", "suq"): fields of the descriptor
// that an object is the address of (base/abi/texture_descriptor.h).
//
//     txq.width.b32 d, [object];   txq.level.width.b32 d, [object], level;   suq.height.b32 d, [object];
//     istypep.texref p, object;
#include "frontend/ptx/texture_fields.h"

#include "base/abi/texture_descriptor.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Queries that textures and surfaces share.
std::optional<size_t> factOf(StringRef query) {
  return StringSwitch<std::optional<size_t>>(query)
      .Case("width", offsetof(ResourceFacts, width))
      .Case("height", offsetof(ResourceFacts, height))
      .Case("depth", offsetof(ResourceFacts, depth))
      .Case("array_size", offsetof(ResourceFacts, arraySize))
      .Case("channel_data_type", offsetof(ResourceFacts, dataType))
      .Case("channel_order", offsetof(ResourceFacts, channelOrder))
      .Case("num_mipmap_levels", offsetof(ResourceFacts, levels))
      .Default(std::nullopt);
}

/// wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border, of our numbers.
Value *addressModeOf(Emitter &e, Value *mode) {
  Value *packed = e.number(4 << 24 | 1 << 16 | 3 << 8); // byte m of it is what mode m is
  return e.b.CreateAnd(e.b.CreateLShr(packed, e.b.CreateShl(mode, 3)), e.number(255));
}

Value *sampling(Emitter &e, StringRef query, Value *object) {
  Value *normalized = descriptorWord(e, object, offsetof(TextureDescriptor, isNormalized));
  if (query == "normalized_coords")
    return normalized;
  if (query == "force_unnormalized_coords")
    return e.b.CreateXor(normalized, e.number(1));
  if (query == "filter_mode")
    return descriptorWord(e, object, offsetof(TextureDescriptor, isLinear));
  const size_t axis = size_t(query.back() - '0');
  return addressModeOf(
      e,
      descriptorWord(e, object, offsetof(TextureDescriptor, address) + axis * sizeof(AddressMode)));
}

/// txq.level: of one level, which operand 2 names.
Value *ofLevel(Emitter &e, StringRef query, Value *object) {
  Value *level = e.b.CreateZExt(e.bits(2, 32), e.b.getInt64Ty());
  Value *at = e.b.CreateAdd(object, e.b.CreateMul(level, e.b.getInt64(sizeof(TextureLevel))));
  const size_t within = query == "width"    ? offsetof(TextureLevel, width)
                        : query == "height" ? offsetof(TextureLevel, height)
                                            : offsetof(TextureLevel, depth);
  return descriptorWord(e, at, offsetof(TextureDescriptor, level) + within);
}

/// What a sampler of the module answers, or null.
Value *ofSampler(Emitter &e, StringRef query) {
  const Operand &place = e.operand(1);
  const Register *found = place.kind == Operand::Address && place.coordinates.empty()
                              ? e.find(place.elements[0])
                              : nullptr;
  if (!found || found->space != "samplerref")
    return nullptr;
  if (query == "filter_mode")
    return e.number(found->sampler.isLinear);
  if (query == "force_unnormalized_coords")
    return e.number(found->sampler.isUnnormalized);
  if (query.starts_with("addr_mode_"))
    return e.number(found->sampler.address[query.back() - '0']);
  e.fail("a sampler has no " + query);
  return e.number(0);
}

Value *objectOf(Emitter &e) {
  const Operand &place = e.operand(1);
  if (place.kind == Operand::Address && place.coordinates.empty())
    return e.read(place.elements[0], *findType("b64"));
  e.fail("expected [object]");
  return e.number(0, 64);
}

} // namespace

void lowerTextureQuery(Emitter &e) {
  const bool isOfLevel = e.take("level");
  StringRef query = e.takeOneOf({"width", "height", "depth", "array_size", "channel_data_type",
                                 "channel_order", "num_mipmap_levels", "num_samples",
                                 "normalized_coords", "force_unnormalized_coords", "filter_mode",
                                 "addr_mode_0", "addr_mode_1", "addr_mode_2"});
  const bool hasLevels = query == "width" || query == "height" || query == "depth";
  if (query.empty() || !e.take("b32") || e.count() != 2u + isOfLevel || (isOfLevel && !hasLevels))
    return e.fail("expected a query, .b32, [object] and with .level a level");
  if (Value *answer = ofSampler(e, query))
    return e.write(0, answer);
  Value *object = objectOf(e);
  if (isOfLevel)
    return e.write(0, ofLevel(e, query, object));
  if (query == "num_samples")
    return e.write(0, e.number(1));
  std::optional<size_t> offset = factOf(query);
  e.write(0, offset ? descriptorWord(e, object, *offset) : sampling(e, query, object));
}

void lowerSurfaceQuery(Emitter &e) {
  StringRef query =
      e.takeOneOf({"width", "height", "depth", "array_size", "channel_data_type", "channel_order"});
  if (query.empty() || !e.take("b32") || e.count() != 2)
    return e.fail("expected a query, .b32 and [object]");
  e.write(0, descriptorWord(e, objectOf(e), *factOf(query)));
}

/// Null is no object.
void lowerIstypep(Emitter &e) {
  StringRef type = e.takeOneOf({"texref", "samplerref", "surfref"});
  e.failUnless(!type.empty(), "expected .texref, .samplerref or .surfref");
  Value *object = e.bits(1, 64);
  Value *isNull = e.b.CreateICmpEQ(object, e.number(0, 64));
  BasicBlock *before = e.b.GetInsertBlock();
  BasicBlock *block = BasicBlock::Create(e.context(), "", before->getParent());
  BasicBlock *done = BasicBlock::Create(e.context(), "", before->getParent());
  e.b.CreateCondBr(isNull, done, block);
  e.b.SetInsertPoint(block);
  const auto wanted = type == "surfref" ? ResourceKind::Surface : ResourceKind::Texture;
  Value *kind = descriptorWord(e, object, offsetof(ResourceFacts, kind));
  Value *isIt =
      type == "samplerref" ? e.b.getFalse() : e.b.CreateICmpEQ(kind, e.number(uint64_t(wanted)));
  e.b.CreateBr(done);
  e.b.SetInsertPoint(done);
  PHINode *answer = e.b.CreatePHI(e.b.getInt1Ty(), 2);
  answer->addIncoming(e.b.getFalse(), before);
  answer->addIncoming(isIt, block);
  e.write(0, answer);
}

} // namespace heddle::frontend::ptx
