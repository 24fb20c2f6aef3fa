# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lay_out_toolkit(root processor lib64): what build systems look for in a CUDA toolkit's folder beside its headers,
# libraries and compilers: the names of its tools, which are links to the heddle command, so that it finds its prefix from
# its own path, nvcc by a hard link, for scripts take the folder of what `readlink -f nvcc` says for the toolkit's; the
# folders of targets (a processor's) and of stubs; its version. `lib64` is where the link lib64 points, empty if it is a
# folder. At configuration for the build tree, and when it is installed.
function(lay_out_toolkit root processor lib64)
  set(driver ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(tools heddle-link bin2c cuobjdump fatbinary nvlink ptxas compute-sanitizer ncu nsys nvprof cuda-gdb cuda-memcheck mpicc mpicxx mpic++ mpif77 mpif90 mpifort nvfortran pgf90 pgf95 pgfortran)
  file(STRINGS ${driver}/absent/absent_parts.def lines REGEX "^HEDDLE_ABSENT_TOOL\\(")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "\\(\"([^\"]*)\"" ignored "${line}")
    list(APPEND tools ${CMAKE_MATCH_1})
  endforeach()
  file(MAKE_DIRECTORY ${root}/bin)
  foreach(tool IN LISTS tools)
    file(CREATE_LINK ../../../bin/heddle ${root}/bin/${tool} SYMBOLIC)
  endforeach()
  if(EXISTS ${root}/../../bin/heddle) # in a build tree it follows (CMakeLists.txt)
    file(CREATE_LINK ${root}/../../bin/heddle ${root}/bin/nvcc COPY_ON_ERROR)
  endif()

  if(lib64)
    file(CREATE_LINK ${lib64} ${root}/lib64 SYMBOLIC)
    file(CREATE_LINK ${lib64} ${root}/lib SYMBOLIC)
  else()
    file(CREATE_LINK lib64 ${root}/lib SYMBOLIC)
  endif()
  file(MAKE_DIRECTORY ${root}/lib64/stubs ${root}/nvvm/libdevice)
  file(CREATE_LINK ../lib64 ${root}/nvvm/lib64 SYMBOLIC)
  file(CREATE_LINK ../include ${root}/nvvm/include SYMBOLIC)
  foreach(library libcuda.so libnvidia-ml.so libheddle_driver.so) # the last is what GNU ld looks for beside libcuda.so
    file(CREATE_LINK ../${library} ${root}/lib64/stubs/${library} SYMBOLIC)
  endforeach()

  # The system's libcu++, CUB and Thrust without its other headers, for NVRTC (src/rtc/program.cpp).
  file(MAKE_DIRECTORY ${root}/cccl)
  foreach(part cub cuda nv thrust)
    file(CREATE_LINK /usr/include/${part} ${root}/cccl/${part} SYMBOLIC)
  endforeach()

  set(targets ${processor}-linux)
  if(processor STREQUAL "aarch64")
    list(APPEND targets sbsa-linux)
  endif()
  foreach(target IN LISTS targets)
    file(MAKE_DIRECTORY ${root}/targets/${target})
    file(CREATE_LINK ../../include ${root}/targets/${target}/include SYMBOLIC)
    file(CREATE_LINK ../../lib64 ${root}/targets/${target}/lib SYMBOLIC)
  endforeach()

  file(STRINGS ${driver}/tools/toolchain.h lines REGEX "CudaReleases\\[\\] = ")
  string(REGEX MATCHALL "\"[0-9.]+\"" parts "${lines}")
  list(SUBLIST parts 0 3 parts)
  list(JOIN parts "." version)
  string(REPLACE "\"" "" version "${version}")
  file(WRITE ${root}/version.txt "CUDA Version ${version}\n")
  set(components "")
  foreach(pair "cuda|Heddle in place of the CUDA SDK" "cuda_cudart|CUDA Runtime" "cuda_nvcc|CUDA NVCC")
    string(REPLACE "|" ";" pair "${pair}")
    list(GET pair 0 key)
    list(GET pair 1 name)
    list(APPEND components "   \"${key}\" : {\n      \"name\" : \"${name}\",\n      \"version\" : \"${version}\"\n   }")
  endforeach()
  list(JOIN components ",\n" components)
  file(WRITE ${root}/version.json "{\n${components}\n}\n")
endfunction()
