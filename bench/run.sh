#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `make bench`: installs the peers' packages where they are missing, builds the peers, measures.
# run.sh BUILD [run.py's options]
set -euo pipefail
cd "$(dirname "$0")"
build=$(cd "../$1" && pwd)
shift
packages=(pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers libomp-22-dev g++)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${missing[*]}"
  run=()
  [ "$(id -u)" -eq 0 ] || run=(sudo)
  "${run[@]}" apt-get update -qq
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
# --cpu NAME: peers of their own, built for that CPU.
march=native peers="$build/bench"
for ((i = 1; i < $#; i++)); do
  if [ "${!i}" = --cpu ]; then
    next=$((i + 1))
    march=${!next} peers="$build/bench-${!next}"
  fi
done
make --no-print-directory -s -j"$(nproc)" HEDDLE="$build/bin/heddle" BUILD="$peers" MARCH="$march"
exec python3 run.py --heddle "$build/bin/heddle" --peers "$peers" "$@"
