#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests on a GPU that is elsewhere: packs here what runs there, and runs it there. A GPU machine needs NVIDIA's driver
# and Python 3, nothing else: LLVM comes along (docs/gpu.md).
#
#   tools/on_gpu.sh pack BUILD PROGRAMS PACK [PEERS]   PROGRAMS: what `tools/gpu_tests.py build BUILD PROGRAMS TEST...` made;
#                                                PEERS: what `bench/gpu_corpus.py build` and `nvcc` made; PACK: the folder to
#                                                fill: pieces of pack.tar.xz, gpu_tests.py and its list, this script
#   on_gpu.sh run PACK RESULTS      [NAME...]    there: unpacks to the paths that things have here, and runs the tests with
#                                                HEDDLE_DEVICE=gpu. RESULTS gets one file, tests.tar.xz: summary, crashes,
#                                                machine, logs, what `heddle diff` says of the programs of DIFF and `heddle
#                                                replay` of a fault, and what both cost
#   on_gpu.sh bench PACK RESULTS                 there: bench/gpu.cu and PEERS, ours against nvcc's; leaves bench.tar.xz
set -euo pipefail
action=${1:?usage: on_gpu.sh pack BUILD PROGRAMS PACK [PEERS] | run PACK RESULTS [NAME...] | bench PACK RESULTS}
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

tools=$(realpath "$(dirname "$0")")

pack() {
  local build=$(realpath "$1") programs=$(realpath "$2") out=$3 peers=${4:+$(realpath "$4")}
  mkdir -p "$out" && out=$(realpath "$out")
  work=$(mktemp -d)
  mkdir "$work/libs"
  for name in libLLVM.so.22.1 libedit.so.2 libbsd.so.0 libmd.so.0 libtinfo.so.6 liblzma.so.5 libffi.so.8 libzstd.so.1 libsleef.so.3 \
    libgomp.so.1 libomp.so.5 libquadmath.so.0; do
    local file=$(library $name)
    [ -z "$file" ] || cp -L "$file" "$work/libs"
  done
  stub "$work" libxml2.so.2 '@LIBXML2'
  stub "$work" libz3.so.4 ' U Z3_'
  (cd / && find "${build#/}/lib" -maxdepth 1 \( -name 'lib*.so*' ! -name 'libheddle_compiler*' ! -name 'libheddle_clang*' ! -name '*gdb.py' \)
    printf '%s\n' "${build#/}"/{bin/heddle,lib/heddle/bin/heddle-replay}
    find "${build#/}/lib/heddle" -maxdepth 1 \( -name lib -o -name lib64 -o -name 'devlib*.bc' \)
    find "${programs#/}" -type f \( -executable -o -name '*.fatbin' -o -name '*.cubin' -o -name '*.ptx' -o -name list.json \) \
      ! -path '*/ptx/*' ! -name '*.log'
    [ -z "$peers" ] || find "${peers#/}" -type f -executable
    [ -z "$peers" ] || realpath "$tools/../bench/gpu_corpus.py" | cut -c2-) >"$work/list"
  tar -C / -cf "$work/pack.tar" -T "$work/list"
  tar -C "$work" -rf "$work/pack.tar" --transform "s,^libs,opt/heddle-gpu/libs," libs
  xz -T0 "${XZ:--6}" <"$work/pack.tar" | split -b 33M - "$out/pack.tar.xz.part."
  cp "$tools"/gpu_{tests.py,excluded.txt} "$tools/on_gpu.sh" "$out"
  gcc -O1 -shared -fPIC "$tools/gpu_backtrace.c" -o "$out/backtrace.so"
  printf '%s\n' "$programs" "$build" "$peers" "$(realpath "$tools/../bench/gpu_corpus.py")" >"$out/programs"
  rm -rf "$work"
  ls -l "$out"
}

# Unpacks, once, and says where things are.
unpack() { # PACK RESULTS
  folder=$(realpath "$1"); mkdir -p "$2"; results=$(realpath "$2")
  { read -r programs; read -r build; read -r peers; read -r corpus; } <"$folder/programs"
  export CUDA_CACHE_PATH=/tmp/heddle-gpu-cache HEDDLE_DEVICE=${HEDDLE_DEVICE:-gpu} JOBS=${JOBS:-$(nproc)}
  [ -e /tmp/heddle-gpu-done ] || cat "$folder"/pack.tar.xz.part.* | xz -dc -T0 | tar -C / -xf -
  touch /tmp/heddle-gpu-done
  ours=/opt/heddle-gpu/libs:$build/lib
}

# Reads what NVIDIA's libraries are once: a machine that has just started has them far away.
warm() {
  local file
  for file in /usr/local/cuda/lib64/lib{cublas,cublasLt,cufft,cusolver,cusparse,curand,nvJitLink,nvrtc}.so.* /lib/*/libnccl.so.*; do
    [ -f "$file" ] && [ ! -L "$file" ] && /usr/bin/time -f "%e s %C" cat "$file" >/dev/null
  done
}

# What saving and comparing launches cost: seconds of a program, and of it under each.
costs() {
  local program
  for program in "$programs"/examples/{matmul_shared,reduction,scan}.run "$programs"/run/{graph_updates,math_float}; do
    [ -x "$program" ] || continue
    for tool in "" "$build/bin/heddle replay --save fault --output /tmp/heddle.launch" "$build/bin/heddle replay --save-only --save 1 --output /tmp/heddle.launch" \
      "$build/bin/heddle diff --devices cpu,$HEDDLE_DEVICE" "$build/bin/heddle diff --devices $HEDDLE_DEVICE,$HEDDLE_DEVICE"; do
      local begin=$(date +%s%N) code=0
      (cd /tmp && timeout 60 $tool "$program" >/dev/null 2>&1) || code=$?
      echo "$(basename "$program") $(( ($(date +%s%N) - begin) / 1000000 )) ms, exit $code: ${tool##*/}"
    done
  done
}

run() {
  unpack "$1" "$2"; shift 2
  local logs=/tmp/heddle-gpu-results begin=$SECONDS
  rm -rf $logs; mkdir -p $logs
  { nvidia-smi; nvidia-smi topo -m; nproc; ldconfig -p | grep -iE 'libcuda|nccl|nvidia-ml|cublas'; } >$logs/machine 2>&1 || true
  warm >$logs/warm 2>&1 || true
  echo "libraries read: $((SECONDS - begin)) s" >>$logs/times
  export LD_LIBRARY_PATH=$ours BACKTRACE=$folder/backtrace.so
  timeout "${TIME:-400}" python3 "$folder/gpu_tests.py" run "$programs" $logs "$@" >$logs/run.log 2>&1 || true
  [ -s $logs/summary ] || sort $logs/progress >$logs/summary
  echo "tests: $((SECONDS - begin)) s, $JOBS jobs" >>$logs/times
  # What the CPU of that machine says of the same launches, and a launch that fails on the GPU, again on the CPU.
  for name in ${DIFF-run/denormals run/math_float run/fma_apart run/fast_functions run/guards replay/diff}; do
    for program in "$programs/$name"{,.run,.exe}; do
      [ -x "$program" ] || continue
      echo "== $name"
      (cd /tmp && timeout 60 "$build/bin/heddle" diff --devices "cpu,$HEDDLE_DEVICE" "$program" || true)
    done
  done >$logs/diff 2>&1
  for how in ${REPLAY-diff:race replay:far}; do
    local program=$programs/replay/${how%:*}
    [ -x "$program" ] || continue
    case $how in
      diff:*) (cd /tmp && timeout 60 "$build/bin/heddle" diff --devices "cpu,$HEDDLE_DEVICE" "$program" "${how#*:}" || true) ;;
      *) (cd /tmp && timeout 60 "$build/bin/heddle" replay "$program" "${how#*:}" || true) ;;
    esac
  done >$logs/replay 2>&1
  costs >$logs/costs 2>&1
  echo "all: $((SECONDS - begin)) s" >>$logs/times
  tar -C /tmp -cJf "$results/tests.tar.xz" heddle-gpu-results
  cat $logs/times
  tail -1 $logs/summary
}

bench() {
  unpack "$1" "$2"
  local logs=/tmp/heddle-gpu-bench begin=$SECONDS
  rm -rf $logs; mkdir -p $logs
  LD_LIBRARY_PATH=$ours "$programs/bench/gpu" >$logs/gpu 2>&1 || true
  env -u HEDDLE_DEVICE "$programs/bench/gpu_nvcc" >$logs/gpu_nvcc 2>&1 || true
  export LD_LIBRARY_PATH=$ours
  timeout "${TIME:-200}" python3 "$corpus" run "$peers" >$logs/corpus 2>&1 || true
  [ ! -x "$peers/fortran/fortran" ] || timeout 40 "$peers/fortran/fortran" >$logs/fortran 2>&1 || true
  echo "all: $((SECONDS - begin)) s" >$logs/times
  tar -C /tmp -cJf "$results/bench.tar.xz" heddle-gpu-bench
  tail -2 $logs/corpus
}

"$action" "$@"
