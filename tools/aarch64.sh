#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds Heddle for AArch64 on another machine and runs it there in an emulator (docs/processors.md).
#
#   tools/aarch64.sh root               fetches Debian's arm64 packages into a folder (3.5 GB)
#   tools/aarch64.sh build [TARGET...]  cross compiles into build/aarch64; without a target, what `heddle` needs
#   tools/aarch64.sh run COMMAND...     runs a command in the root, with this repository in it at its own place
#   tools/aarch64.sh test [TEST...]     builds, and runs a sample of the tests or those that are named
#
# HEDDLE_AARCH64_ROOT names the root (default: build/aarch64-root). `root` needs the package mmdebstrap, `run` and `test`
# need qemu-user-static, `build` needs what tools/setup.sh installs. What a command in the root starts is emulated, too:
# the kernel is told of the emulator (binfmt_misc) in a user namespace of the command's own, which Linux has from 6.7
# on. So nothing changes for the rest of the machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export HEDDLE_AARCH64_ROOT=${HEDDLE_AARCH64_ROOT:-$here/build/aarch64-root}
root=$HEDDLE_AARCH64_ROOT
emulator=/usr/bin/qemu-aarch64-static
AddressGiB=16

die() {
  echo "aarch64.sh: $1" >&2
  exit 1
}

mirror() { apt-cache policy | awk -v suite="$1/main" '$3 == suite { print $2; exit }'; } # that this machine has

# Packages are unpacked, not configured, so nothing has to be emulated here. What update-alternatives would link is
# linked by hand.
makeRoot() {
  command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: install it"
  [ ! -e "$root/usr" ] || die "$root exists"
  local packages=(
    bash coreutils dash diffutils findutils grep hostname mawk procps sed util-linux base-files
    clang-22 llvm-22-dev llvm-22 llvm-22-tools libclang-22-dev liblld-22-dev lld-22 libomp-22-dev libclang-rt-22-dev
    flang-22 libflang-22-dev libmlir-22-dev mlir-22-tools
    libopenblas-dev liblapacke-dev libfftw3-dev libsuitesparse-dev libthrust-dev libcub-dev libcu++-dev libtbb-dev
    libsleef-dev libmpfr-dev libgtest-dev libpng-dev libxxhash-dev libzstd-dev zlib1g-dev g++ python3 python3-psutil)
  mkdir -p "$root"
  printf 'deb %s main\n' "$(mirror bookworm) bookworm" "$(mirror bookworm) bookworm-updates" \
    "$(mirror bookworm-security) bookworm-security" |
    mmdebstrap --arch=arm64 --variant=extract --aptopt='APT::Install-Recommends "false"' \
      --include="$(IFS=,; echo "${packages[*]}")" bookworm "$root" -
  local libraries=usr/lib/aarch64-linux-gnu name
  for name in libopenblas.so.0 libblas.so.3 liblapack.so.3; do
    ln -sf "openblas-pthread/$name" "$root/$libraries/$name"
  done
  ln -sf mawk "$root/usr/bin/awk"
  # A linker outside of the root follows links, too: libm.so leads to /lib.
  find "$root/usr/lib" -type l -lname '/*' | while read -r name; do
    ln -sfnr "$root$(readlink "$name")" "$name"
  done
  mkdir -p "$root/dev" "$root/proc" "$root/tmp"
}

build() {
  [ -e "$root/usr" ] || die "there is no root: tools/aarch64.sh root"
  [ -e "$here/build/aarch64/build.ninja" ] || cmake -S "$here" --preset aarch64
  cmake --build "$here/build/aarch64" --target "${@:-heddle}"
}

# How the kernel tells an AArch64 program: the head of its ELF file, and which bits of it count.
readonly magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
readonly mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# In namespaces of our own. F: the kernel opens the emulator now, for the root has none.
enter() {
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  printf '%s' ":aarch64:M:0:$magic:$mask:$emulator:F" >/proc/sys/fs/binfmt_misc/register
  mkdir -p "$root$here"
  local folder
  for folder in /dev /proc "$here"; do
    mount --rbind "$folder" "$root$folder"
  done
  local where=$PWD
  case "$where/" in "$here"/*) ;; *) where=$here ;; esac
  exec chroot "$root" /usr/bin/env -C "$where" "$@"
}

run() {
  [ -x "$emulator" ] || die "$emulator is missing: install qemu-user-static"
  [ -e "$root/usr" ] || die "there is no root: tools/aarch64.sh root"
  # The emulator notes each page of a reservation, and ours are of terabytes; the runtime takes less where it must.
  ulimit -v $((AddressGiB << 20))
  exec unshare --user --map-root-user --mount "$here/tools/aarch64.sh" enter "$@"
}

# One program for each thing that is another on this processor: masks and gathers without instructions for them, SLEEF's
# functions, atomics, stacks that are switched, faults, jumps into the driver, texts of PTX, halves. Not those that find
# the thread of a fault, which QEMU prevents.
sample=(
  examples/saxpy.cu examples/matmul_tiled.cu examples/histogram.cu examples/scan.cu examples/work_queue.cu
  tests/run/{activemask,atomics_cas,atomics_float,atomics_int,barriers,barrier_tiles,bool_bytes,cooperative_groups}.cu
  tests/run/{denormals,device_heap,divergence_if,divergence_loop,divergence_switch,driver_programs,flag_after_data}.cu
  tests/run/{float_arithmetic,float_rounding,float_to_int,fma_contract,function_pointers,grid_sync,half,int128}.cu
  tests/run/{int_divide,int_intrinsics,lane_locks,local_arrays,look_back_by_pairs,managed,math_double,math_float}.cu
  tests/run/{min_max_zeros,printf,progress_lanes,ptx_bits,ptx_warp,recursion,shared_dynamic,short_arrays,shuffle}.cu
  tests/run/{ptx_module,simd_intrinsics,sparse_arrays,streams,structs,vector_types,virtual_functions,votes,wmma}.cu
  tests/errors/{assert,null_load,overrun,trap,wild_address}.cu
  tests/check/memcheck/global_memory.cu tests/check/race/shared.cu tests/nvrtc/{linking,saxpy}.cpp
  tests/simt device_test base_test driver_api_memory_test)

# Lit tests run in the root as a whole; ctest runs here and starts each unit test, which is its target's name, in the
# emulator.
runTests() {
  local tests=() units=() test status=0
  [ $# -gt 0 ] || set -- "${sample[@]}"
  for test in "$@"; do
    if [ -e "$here/$test" ]; then tests+=("$test"); else units+=("$test"); fi
  done
  build heddle "${units[@]}"
  for test in "${units[@]}"; do
    "$here/tools/run_tests.sh" build/aarch64 "^$test\$" || status=1
  done
  for test in "${tests[@]}"; do
    (run env LIT_OPTS="--param timeout=3000 ${LIT_OPTS:-}" tools/run_tests.sh build/aarch64 "$test") || status=1
  done
  return $status
}

command=${1:-}
[ $# -eq 0 ] || shift
case "$command" in
root) makeRoot ;;
build) build "$@" ;;
run) run "$@" ;;
enter) enter "$@" ;;
test) runTests "$@" ;;
*) die "usage: aarch64.sh root | build [TARGET...] | run COMMAND... | test [TEST...]" ;;
esac
