#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the Debian packages that Heddle needs and that are missing. Does nothing where all are there.
# `make run` gives --without-fortran, which leaves out those of CUDA Fortran and MPI, for they are large, and OpenCL's.
set -euo pipefail
packages=(clang-22 llvm-22-dev llvm-22 llvm-22-tools libclang-22-dev liblld-22-dev lld-22 libomp-22-dev libclang-rt-22-dev
          cmake ninja-build
          libopenblas-dev liblapacke-dev libfftw3-dev libsuitesparse-dev libthrust-dev libcub-dev libcu++-dev libtbb-dev
          libsleef-dev libmpfr-dev libgtest-dev libpng-dev libxxhash-dev libzstd-dev zlib1g-dev gdb python3 python3-psutil git g++ make)
[ "${1:-}" = --without-fortran ] || packages+=(flang-22 libflang-22-dev libmlir-22-dev mlir-22-tools libopenmpi-dev openmpi-bin
  ocl-icd-opencl-dev opencl-headers libclc-22 libclc-22-dev clinfo)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing ${missing[*]}"
run=()
[ "$(id -u)" -eq 0 ] || run=(sudo)
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
