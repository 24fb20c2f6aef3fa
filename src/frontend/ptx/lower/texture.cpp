// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of texture objects (PTX ISA, "tex", "tld4"): calls of the device library's functions, as
// the functions of heddle/texture_functions.h are.
//
//     tex.2d.v4.f32.f32   {r, g, b, a}, [object, {x, y}];
//     tex.a2d.v4.u32.f32  {r, g, b, a}, [object, {layer, x, y, _}];
//     tex.level.3d.v4...  {r, g, b, a}, [object, {x, y, z, _}], level;
//     tex.grad.2d.v4...   {r, g, b, a}, [object, {x, y}], {dx, dy}, {ex, ey};
//     tld4.g.2d.v4...     {p, q, r, s}, [object, {x, y}];
//     tex.2d.v4.f32.f32   {r, g, b, a}, [texture, sampler, {x, y}];
//     tex.2d.v4.f32.f32   {r, g, b, a}|p, [object, {x, y}], {i, j};   offsets in texels
//     tex.2d.v2.f16x2.f32 {rg, ba}, [object, {x, y}];
//
// Coordinates that are integers count texels; so they are those of the texels' middles, which
// filter nothing. The predicate says whether there is memory behind the texels, as there always is.
#include "frontend/ptx/texture_fields.h"

#include "base/abi/texture_descriptor.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// What __heddle_texture takes for a geometry: the coordinates, 4 if there is a layer, 8 if the
/// coordinates are a direction.
struct Geometry {
  unsigned axes;
  bool hasLayer, isCube;
  unsigned code() const { return axes + (hasLayer ? 4 : 0) + (isCube ? 8 : 0); }
};

std::optional<Geometry> takeGeometry(Emitter &e) {
  StringRef name = e.takeOneOf({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  return StringSwitch<std::optional<Geometry>>(name)
      .Case("1d", Geometry{1, false, false})
      .Case("2d", Geometry{2, false, false})
      .Case("3d", Geometry{3, false, false})
      .Case("a1d", Geometry{1, true, false})
      .Case("a2d", Geometry{2, true, false})
      .Case("cube", Geometry{3, false, true})
      .Case("acube", Geometry{3, true, true})
      .Default(std::nullopt);
}

/// The four words that the library's functions give, as clang has them (texel_types.h).
Type *wordsType(Emitter &e, StringRef function) {
  if (Function *known = e.b.GetInsertBlock()->getModule()->getFunction(function))
    return known->getReturnType();
  StringRef name = "struct.__heddle_words";
  if (StructType *known = StructType::getTypeByName(e.context(), name))
    return known;
  Type *word = e.b.getInt32Ty();
  return StructType::create(e.context(), {word, word, word, word}, name);
}

/// One sample: the texture, where, and the words that come out.
class Sample {
public:
  explicit Sample(Emitter &e) : e_(e), b_(e.b) {}

  bool read(const Geometry &geometry) {
    const bool isPacked = e_.take("v2");
    e_.failUnless(isPacked || e_.take("v4"), "expected .v4");
    result_ = e_.takeType();
    PtxType at = e_.takeType();
    isWhole_ = at == "s32";
    const Operand &place = e_.operand(1);
    bool isKnown =
        isPacked ? result_ == "f16x2"
                 : result_ == "f32" || result_ == "u32" || result_ == "s32" || result_ == "f16";
    if (!isKnown || !(isWhole_ || at == "f32") || place.kind != Operand::Address ||
        place.coordinates.empty()) {
      e_.fail("expected .f32, .u32, .s32, .f16 or .v2.f16x2, and [object, {coordinates}]");
      return false;
    }
    object_ =
        place.sampler.empty() ? e_.read(place.elements[0], *findType("b64")) : objectOf(place);
    ArrayRef<Operand> parts = place.coordinates;
    unsigned first = geometry.hasLayer ? 1 : 0;
    if (parts.size() < first + geometry.axes) {
      e_.fail("expected " + Twine(first + geometry.axes) + " coordinates");
      return false;
    }
    layer_ = first ? e_.read(parts[0], *findType("b32")) : e_.number(0);
    for (unsigned axis = 0; axis < 3; ++axis)
      coordinates_.push_back(axis < geometry.axes ? coordinate(parts[first + axis], at) : zero());
    return true;
  }

  /// Moves the place by operand `i`, a vector of texels at the texture's first level.
  void move(const Geometry &geometry, unsigned i) {
    SmallVector<Operand, 8> steps = e_.elements(i);
    if (geometry.isCube || steps.size() < geometry.axes)
      return e_.fail("expected offsets of " + Twine(geometry.axes) + " axes, and no cube");
    constexpr size_t Extents[] = {offsetof(ResourceFacts, width), offsetof(ResourceFacts, height),
                                  offsetof(ResourceFacts, depth)};
    for (unsigned axis = 0; axis < geometry.axes; ++axis) {
      Value *step = e_.read(steps[axis], *findType("s32"));
      if (axis == 0)
        wholeStep_ = step;
      step = b_.CreateSIToFP(step, b_.getFloatTy());
      if (!isWhole_) {
        Value *extent = descriptorWord(e_, object_, Extents[axis]);
        Value *isNormalized =
            descriptorWord(e_, object_, offsetof(TextureDescriptor, isNormalized));
        Value *unit = b_.CreateSelect(b_.CreateIsNotNull(isNormalized), extent, e_.number(1));
        step = b_.CreateFDiv(step, b_.CreateUIToFP(unit, b_.getFloatTy()));
      }
      coordinates_[axis] = b_.CreateFAdd(coordinates_[axis], step);
    }
  }

  bool isFetch(const Geometry &geometry) const { return isWhole_ && geometry.code() == 1; }
  Value *wholeCoordinate() {
    Value *place = e_.read(e_.operand(1).coordinates[0], *findType("s32"));
    return wholeStep_ ? b_.CreateAdd(place, wholeStep_) : place;
  }
  /// Four channels of words; floats are told apart.
  Value *wanted() { return e_.number(4 | 4 << 4 | (result_.kind == TypeKind::Float ? 1 << 8 : 0)); }
  Value *object() { return object_; }
  Value *layer() { return layer_; }
  ArrayRef<Value *> coordinates() const { return coordinates_; }

  void call(StringRef function, ArrayRef<Value *> arguments) {
    Value *words = e_.library(function, wordsType(e_, function), arguments, /*readsNothing=*/false);
    const bool hasPredicate = e_.operand(0).kind == Operand::Pair;
    const Operand &whole = hasPredicate ? e_.operand(0).elements[0] : e_.operand(0);
    if (hasPredicate)
      e_.write(e_.operand(0).elements[1], b_.getTrue());
    SmallVector<Value *, 4> values;
    for (unsigned i = 0; i < 4; ++i)
      values.push_back(resultOf(b_.CreateExtractValue(words, i)));
    if (result_.isPacked())
      values = {e_.join({values[0], values[1]}), e_.join({values[2], values[3]})};
    SmallVector<Operand, 8> targets = e_.elements(whole);
    if (targets.size() != values.size())
      return e_.fail("expected " + Twine(values.size()) + " registers");
    for (auto [target, value] : zip_equal(targets, values))
      e_.write(target, value);
  }

private:
  /// A texture's object with a sampler's settings: a reference of its own, which the driver binds with
  /// the texture's (driver/textures/references.cpp).
  Value *objectOf(const Operand &place) {
    const Register *texture = e_.find(place.elements[0]);
    Operand name;
    name.kind = Operand::Name;
    name.name = place.sampler;
    const Register *sampler = e_.find(name);
    auto *variable =
        texture && texture->space == "texref" ? dyn_cast<GlobalVariable>(texture->value) : nullptr;
    if (!variable || !sampler || sampler->space != "samplerref") {
      e_.fail("a separate sampler must be a .samplerref, and its texture a .texref, of the module");
      return e_.number(0, 64);
    }
    const std::string both = variable->getName().str() + "." + samplerName(sampler->sampler);
    Module &module = *b_.GetInsertBlock()->getModule();
    GlobalVariable *made = module.getGlobalVariable(both);
    if (!made) {
      made =
          new GlobalVariable(module, variable->getValueType(), false, GlobalValue::ExternalLinkage,
                             Constant::getNullValue(variable->getValueType()), both, nullptr,
                             GlobalValue::NotThreadLocal, variable->getAddressSpace(),
                             /*isExternallyInitialized=*/true);
      made->setAlignment(variable->getAlign());
    }
    return e_.addressOf({nullptr, made, 64, "texref", nullptr});
  }

  /// What the driver reads: a letter, the numbers of the modes, and 1 for what holds.
  static std::string samplerName(const Sampler &sampler) {
    std::string name = "sampler_";
    for (unsigned mode : sampler.address)
      name += char('0' + mode);
    return name + (sampler.isLinear ? "1" : "0") + (sampler.isUnnormalized ? "1" : "0");
  }

  Value *resultOf(Value *word) {
    if (result_.element().bits() == 32)
      return word;
    return b_.CreateFPTrunc(b_.CreateBitCast(word, b_.getFloatTy()), b_.getHalfTy());
  }

  Value *zero() { return ConstantFP::get(b_.getFloatTy(), 0.0); }
  Value *coordinate(const Operand &operand, const PtxType &type) {
    Value *value = e_.read(operand, type);
    if (!isWhole_)
      return value;
    return b_.CreateFAdd(b_.CreateSIToFP(value, b_.getFloatTy()),
                         ConstantFP::get(b_.getFloatTy(), 0.5));
  }

  Emitter &e_;
  IRBuilder<> &b_;
  PtxType result_;
  bool isWhole_ = false;
  Value *object_ = nullptr, *layer_ = nullptr;
  Value *wholeStep_ = nullptr; ///< along the first axis
  SmallVector<Value *, 3> coordinates_;
};

/// The level of detail that two vectors of steps ask for, operands 2 and 3.
Value *levelOfSteps(Emitter &e, const Geometry &geometry, Sample &sample) {
  SmallVector<Value *, 10> arguments = {sample.object()};
  if (geometry.isCube)
    append_range(arguments, sample.coordinates());
  else
    arguments.push_back(e.number(geometry.axes));
  for (unsigned operand : {2, 3}) {
    SmallVector<Operand, 8> steps = e.elements(operand);
    e.failUnless(steps.size() >= geometry.axes, "expected " + Twine(geometry.axes) + " steps");
    for (unsigned axis = 0; axis < 3; ++axis)
      arguments.push_back(axis < std::min<size_t>(geometry.axes, steps.size())
                              ? e.read(steps[axis], *findType("f32"))
                              : ConstantFP::get(e.b.getFloatTy(), 0.0));
  }
  return e.library(geometry.isCube ? "__heddle_texture_cube_level_of" : "__heddle_texture_level_of",
                   e.b.getFloatTy(), arguments, /*readsNothing=*/false);
}

} // namespace

/// What may stand behind the operands: offsets, and a number to compare depths with.
static bool takeMore(Emitter &e, const Geometry &geometry, Sample &sample, unsigned operands,
                     bool hasLevel) {
  if (e.count() > operands && e.operand(operands).kind == Operand::Vector) {
    if (hasLevel) {
      e.fail("offsets at a level of detail are not supported");
      return false;
    }
    sample.move(geometry, operands++);
  }
  if (e.count() > operands)
    e.fail("comparisons of depths are not supported");
  return e.count() == operands;
}

/// Of a mipmapped array .base is what there is without a level.
void lowerTexture(Emitter &e) {
  bool hasSteps = e.take("grad"), hasLevel = hasSteps || e.take("level");
  if (!hasLevel)
    e.take("base");
  std::optional<Geometry> geometry = takeGeometry(e);
  if (!geometry)
    return e.fail("this geometry is not supported");
  Sample sample(e);
  if (!sample.read(*geometry))
    return;
  if (!takeMore(e, *geometry, sample, 2 + hasLevel + hasSteps, hasLevel))
    return;
  if (sample.isFetch(*geometry) && !hasLevel)
    return sample.call("__heddle_texture_fetch",
                       {sample.object(), sample.wanted(), sample.wholeCoordinate()});
  SmallVector<Value *, 8> arguments = {sample.object(), sample.wanted(),
                                       e.number(geometry->code())};
  append_range(arguments, sample.coordinates());
  arguments.push_back(sample.layer());
  if (hasSteps)
    arguments.push_back(levelOfSteps(e, *geometry, sample));
  else if (hasLevel)
    arguments.push_back(e.read(2, *findType("f32")));
  sample.call(hasLevel ? "__heddle_texture_level" : "__heddle_texture", arguments);
}

/// tld4: one channel of the four texels around a place.
void lowerTextureGather(Emitter &e) {
  StringRef component = e.takeOneOf({"r", "g", "b", "a"});
  std::optional<Geometry> geometry = takeGeometry(e);
  if (component.empty() || !geometry || geometry->code() != 2)
    return e.fail("expected a component and .2d");
  Sample sample(e);
  if (!sample.read(*geometry))
    return;
  if (!takeMore(e, *geometry, sample, 2, /*hasLevel=*/false))
    return;
  sample.call("__heddle_texture_gather",
              {sample.object(), sample.coordinates()[0], sample.coordinates()[1],
               e.number(StringRef("rgba").find(component))});
}

} // namespace heddle::frontend::ptx
