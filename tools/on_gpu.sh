#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests on a GPU that is elsewhere: packs here what runs there, and runs it there. A GPU machine needs NVIDIA's driver
# and Python 3, nothing else: LLVM comes along (docs/gpu.md).
#
#   tools/on_gpu.sh pack BUILD PROGRAMS PACK     PROGRAMS: what `tools/gpu_tests.py build BUILD PROGRAMS TEST...` made; PACK: the
#                                                folder to fill: pack.tar.xz, gpu_tests.py and its list, this script
#   on_gpu.sh run PACK RESULTS      [NAME...]    there: unpacks to the paths that things have here, and runs the tests with
#                                                HEDDLE_DEVICE=gpu. RESULTS gets summary, logs.tar.xz, machine, and what
#                                                `heddle diff` says of the programs of DIFF and `heddle replay` of a fault
set -euo pipefail
action=${1:?usage: on_gpu.sh pack BUILD PROGRAMS PACK | run PACK RESULTS [NAME...]}
shift

library() { ldconfig -p | awk -v l="$1" '$1 == l {print $NF; exit}'; }

# A library whose functions abort, in the place of one that libLLVM needs and the kernels' compiler never calls.
stub() { # FOLDER soname pattern
  local llvm=$(library libLLVM.so.22.1)
  { echo '#include <stdlib.h>'
    nm -D "$llvm" | awk -v p="$3" '$0 ~ p {print $2}' | sed 's/@.*//' | sort -u | while read -r name; do
      if [ "$name" = xmlFree ]; then echo 'void (*xmlFree)(void *) = free;'; else echo "void $name(void) { abort(); }"; fi
    done; } >"$1/stub.c"
  : >"$1/stub.map"
  for version in $(nm -D "$llvm" | grep -E "$3" | grep -oE '@[A-Z0-9]+_[0-9.]+' | tr -d @ | sort -u); do
    { echo "$version { global:"; nm -D "$llvm" | grep "@$version\$" | awk '{print $2 ";"}' | sed 's/@.*;/;/' | sort -u; echo '};'; } >>"$1/stub.map"
  done
  gcc -w -shared -fPIC -Wl,-soname,"$2" $([ -s "$1/stub.map" ] && echo "-Wl,--version-script=$1/stub.map") "$1/stub.c" -o "$1/libs/$2"
  rm "$1/stub.c" "$1/stub.map"
}

pack() {
  local build=$(realpath "$1") programs=$(realpath "$2") out=$3
  mkdir -p "$out" && out=$(realpath "$out")
  work=$(mktemp -d)
  mkdir "$work/libs"
  for name in libLLVM.so.22.1 libedit.so.2 libbsd.so.0 libmd.so.0 libtinfo.so.6 liblzma.so.5 libffi.so.8 libzstd.so.1 libsleef.so.3 \
    libgomp.so.1 libquadmath.so.0; do
    local file=$(library $name)
    [ -z "$file" ] || cp -L "$file" "$work/libs"
  done
  stub "$work" libxml2.so.2 '@LIBXML2'
  stub "$work" libz3.so.4 ' U Z3_'
  (cd / && find "${build#/}/lib" -maxdepth 1 \( -name 'lib*.so*' ! -name 'libheddle_compiler*' ! -name 'libheddle_clang*' ! -name '*gdb.py' \)
    printf '%s\n' "${build#/}"/{bin/heddle,lib/heddle/bin/heddle-replay}
    find "${build#/}/lib/heddle" -maxdepth 1 \( -name lib -o -name lib64 -o -name 'devlib*.bc' \)
    find "${programs#/}" -type f \( -executable -o -name '*.fatbin' -o -name '*.cubin' -o -name '*.ptx' -o -name list.json \) \
      ! -path '*/ptx/*' ! -name '*.log') >"$work/list"
  tar -C / -cf "$work/pack.tar" -T "$work/list"
  tar -C "$work" -rf "$work/pack.tar" --transform "s,^libs,opt/heddle-gpu/libs," libs
  xz -T0 -6 <"$work/pack.tar" >"$out/pack.tar.xz"
  cp "$(dirname "$0")"/gpu_{tests.py,excluded.txt} "$0" "$out"
  printf '%s\n' "$programs" "$build" >"$out/programs"
  rm -rf "$work"
  ls -l "$out"
}

run() {
  local folder=$(realpath "$1") results=$2 programs build; shift 2
  mkdir -p "$results" && results=$(realpath "$results")
  tar -C / -xJf "$folder/pack.tar.xz"
  { read -r programs; read -r build; } <"$folder/programs"
  { nvidia-smi || true; ldconfig -p | grep -i cuda || true; } >"$results/machine" 2>&1
  export LD_LIBRARY_PATH=/opt/heddle-gpu/libs:$build/lib CUDA_CACHE_PATH=/tmp/heddle-gpu-cache HEDDLE_DEVICE=${HEDDLE_DEVICE:-gpu}
  JOBS=${JOBS:-8} python3 "$folder/gpu_tests.py" run "$programs" /tmp/heddle-gpu-results "$@" || true
  # What the CPU of that machine says of the same launches, and a launch that fails on the GPU, again on the CPU.
  for name in ${DIFF-run/denormals run/math_float run/fma_apart run/fast_functions run/guards replay/diff}; do
    for program in "$programs/$name"{,.run,.exe}; do
      [ -x "$program" ] || continue
      echo "== $name"
      (cd /tmp && timeout 120 "$build/bin/heddle" diff --devices "cpu,$HEDDLE_DEVICE" "$program" || true)
    done
  done >"$results/diff" 2>&1
  for how in ${REPLAY-diff:race replay:far}; do
    local program=$programs/replay/${how%:*}
    [ -x "$program" ] || continue
    case $how in
      diff:*) (cd /tmp && timeout 120 "$build/bin/heddle" diff --devices "cpu,$HEDDLE_DEVICE" "$program" "${how#*:}" || true) ;;
      *) (cd /tmp && timeout 120 "$build/bin/heddle" replay "$program" "${how#*:}" || true) ;;
    esac
  done >"$results/replay" 2>&1
  for peer in gpu gpu_nvcc; do # bench/gpu.cu
    [ ! -x "$programs/bench/$peer" ] || "$programs/bench/$peer" >"$results/bench.$peer" 2>&1 || true
  done
  cp /tmp/heddle-gpu-results/summary "$results/summary"
  tar -C /tmp -cJf "$results/logs.tar.xz" heddle-gpu-results
  tail -1 "$results/summary"
}

"$action" "$@"
