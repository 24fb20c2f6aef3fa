// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who may call whom. nvcc translates a source twice, once for the host and once for the device, and
// each translation minds the calls of its own side only:
//
//   #ifdef __CUDA_ARCH__
//   __device__ void add(int &a);        // the device's translation sees no other
//   #else
//   void add(int &a);                   // nor the host's
//   #endif
//   void plain(int &a) { add(a); }      // refused by clang for the device
//   __global__ void kernel(int *p) { add(*p); } // and this for the host
//
// clang has a preference for each pair of a caller and a callee, which overload resolution goes by,
// and one of them, "never", makes a function no candidate. Another, "wrong side", is that of calls
// that may stand as long as nobody reaches them: clang defers its error until it knows that the
// caller is compiled. That is what all calls of the other half are, for no code is made of it.
// Functions of the caller's own side stay preferred (as "same side", which clang drops candidates
// of the wrong side for), so that an overload is what it is in the caller's half.
//
// A function for both sides may call anything under nvcc (which warns); an error is what the device
// really reaches. clang takes each such function with external linkage for reached, as it compiles
// it for the device: among them all that an explicit instantiation makes of a class for the host
// whose members are constexpr or defaulted. Here such a function is reached when a kernel or a
// function of the device alone reaches it. The others are compiled, and what they call of the host
// ends in a trap there (src/plugin/host_functions.cpp), as under nvcc.
#include "frontend/cuda/wrap.h"

#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

#define PREFERENCE "_ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_"
#define CHECK_CALL "_ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE"
#define STATUS "_ZN5clang4Sema17getEmissionStatusEPKNS_12FunctionDeclEb"

namespace heddle::cuda {

using Preference = SemaCUDA::CUDAFunctionPreference;
using Status = Sema::FunctionEmissionStatus;

Preference clangsPreference(SemaCUDA &, const FunctionDecl *caller, const FunctionDecl *callee)
    HEDDLE_REAL(PREFERENCE);
bool clangsCheckCall(SemaCUDA &, SourceLocation, FunctionDecl *callee) HEDDLE_REAL(CHECK_CALL);
Status clangsStatus(Sema &, const FunctionDecl *, bool isFinal) HEDDLE_REAL(STATUS);

namespace {

/// src/plugin/host_functions.cpp knows the host's functions by it.
constexpr const char *HostFunctionMark = "heddle: a function of the host";

/// Whether the function is for the half that is not compiled now.
bool isOfOtherHalf(SemaCUDA &cuda, const FunctionDecl *function) {
  CUDAFunctionTarget target = cuda.IdentifyTarget(function);
  return cuda.getLangOpts().CUDAIsDevice
             ? target == CUDAFunctionTarget::Host
             : target == CUDAFunctionTarget::Device || target == CUDAFunctionTarget::Global;
}

} // namespace

Preference preferenceOf(SemaCUDA &, const FunctionDecl *caller, const FunctionDecl *callee)
    HEDDLE_WRAP(PREFERENCE);
Preference preferenceOf(SemaCUDA &cuda, const FunctionDecl *caller, const FunctionDecl *callee) {
  Preference preference = clangsPreference(cuda, caller, callee);
  // Constants of a program of NVRTC, which has no host: `constexpr` functions of the device make them.
  if (!caller && preference == SemaCUDA::CFP_Never && cuda.getLangOpts().CUDAIsDevice &&
      cuda.IdentifyTarget(callee) == CUDAFunctionTarget::Device &&
      cuda.SemaRef.getPreprocessor().isMacroDefined("__CUDACC_RTC__"))
    return SemaCUDA::CFP_SameSide;
  if (!caller || !isOfOtherHalf(cuda, caller))
    return preference;
  switch (preference) {
  case SemaCUDA::CFP_Never:
    return callee->hasAttr<CUDAInvalidTargetAttr>() ? preference : SemaCUDA::CFP_WrongSide;
  case SemaCUDA::CFP_Native:
    return SemaCUDA::CFP_SameSide;
  default:
    return preference;
  }
}

Status statusOf(Sema &, const FunctionDecl *, bool isFinal) HEDDLE_WRAP(STATUS);
Status statusOf(Sema &sema, const FunctionDecl *function, bool isFinal) {
  Status status = clangsStatus(sema, function, isFinal);
  if (status != Status::Emitted || !sema.getLangOpts().CUDAIsDevice ||
      sema.CUDA().IdentifyTarget(function) != CUDAFunctionTarget::HostDevice)
    return status;
  return sema.CUDA().DeviceKnownEmittedFns.contains(function) ? status : Status::Unknown;
}

bool checkCall(SemaCUDA &, SourceLocation, FunctionDecl *callee) HEDDLE_WRAP(CHECK_CALL);
bool checkCall(SemaCUDA &cuda, SourceLocation place, FunctionDecl *callee) {
  if (cuda.getLangOpts().CUDAIsDevice && !callee->hasAttr<ErrorAttr>() &&
      cuda.IdentifyTarget(callee) == CUDAFunctionTarget::Host) {
    const FunctionDecl *caller = cuda.SemaRef.getCurFunctionDecl(/*AllowLambda=*/true);
    if (caller && cuda.IdentifyTarget(caller) == CUDAFunctionTarget::HostDevice)
      callee->addAttr(ErrorAttr::CreateImplicit(cuda.getASTContext(), HostFunctionMark));
  }
  return clangsCheckCall(cuda, place, callee);
}

} // namespace heddle::cuda
