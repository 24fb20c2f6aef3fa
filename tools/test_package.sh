#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tries what `make package` made in a clean Debian 12 that has no compiler. Needs root, network and debootstrap.
#
#   tools/test_package.sh [build folder] [folder for the clean root]
#
# A root that is there already is used again, with what an earlier run installed taken out of it. MIRROR and SECURITY name
# other mirrors than those of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
root=${2:-$(mktemp -d /tmp/heddle-root.XXXXXX)}
mirrorOf() { apt-cache policy | awk -v suite="$1/main" '$3 == suite { print $2; exit }'; }
mirror=${MIRROR:-$(mirrorOf bookworm)}
security=${SECURITY:-$(mirrorOf bookworm-security)}
compilers=(clang-22 lld-22 g++)

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# in_root COMMAND: in the clean root, with a /proc and /dev of its own and none of our environment.
in_root() {
  unshare --mount --pid --fork --propagation private bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && cd "$0" &&
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
      chroot "$0" "$@"' "$root" "$@"
}
install() { in_root apt-get install -y -qq --no-install-recommends "$@" >"$root/root/apt.log" 2>&1 || { tail -5 "$root/root/apt.log"; fail "apt-get install $*"; }; }

# expect TEXT COMMAND: the command's output has a line with the text.
expect() {
  local text=$1 output
  shift
  output=$("$@" 2>&1 || true)
  grep -qF -- "$text" <<<"$output" || fail "'$*' does not say '$text' but: $output"
  echo "ok: $text"
}
# one_line TEXT COMMAND: it fails with this line alone.
one_line() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) && fail "'$*' does not fail"
  [ "$(wc -l <<<"$output")" = 1 ] || fail "'$*' says more than one line: $output"
  grep -qF -- "$text" <<<"$output" || fail "'$*' does not say '$text' but: $output"
  echo "ok: $text"
}

[ "$(id -u)" = 0 ] || fail "this needs root, for chroot"
deb=$(ls "$build"/packages/heddle_*.deb) || fail "there is no package; make package"
tarball=$(ls "$build"/packages/heddle-*.tar.gz)
echo "== $(basename "$deb"), needs: $(dpkg-deb -f "$deb" Depends)"
[[ $(dpkg-deb -f "$deb" Depends) == *libllvm22*libsleef3* || $(dpkg-deb -f "$deb" Depends) == *libsleef3*libllvm22* ]] ||
  fail "the package does not depend on LLVM and SLEEF"

if [ ! -e "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
fi
printf 'deb %s bookworm main\ndeb %s bookworm-security main\n' "$mirror" "$security" >"$root/etc/apt/sources.list"
in_root apt-get update -qq
in_root apt-get purge -y -qq heddle heddle-fortran "${compilers[@]}" >/dev/null 2>&1 || true
in_root apt-get autoremove -y -qq --purge >/dev/null 2>&1 || true
for tool in clang-22 g++ gcc cc ld; do
  in_root sh -c "command -v $tool" && fail "the root is not clean: it has $tool"
done
rm -rf "$root/root/"* "$root/opt/"* "$root/srv/"*
cp "$deb" "$root/root/heddle.deb"

# Programs that were compiled elsewhere, and what to compile.
nvcc=$build/lib/heddle/bin/nvcc
inputs=tests/tool/Inputs
"$nvcc" $inputs/missing/sines.cu -o "$root/root/sines"
"$nvcc" $inputs/missing/libraries.cu -o "$root/root/libraries" -lcublas -lcufft -lcusolver -lcusparse
cp $inputs/missing/sines.cu $inputs/missing/libraries.cu $inputs/plain.cpp "$root/root/"

# The programs run; the tool names what compiling needs. `$1` is the tool's prefix.
try_without_compiler() {
  local heddle=$1/bin/heddle
  expect "sines are right" in_root "$heddle" run /root/sines
  expect "sines are right" in_root env "PATH=$1/bin:/usr/bin:/bin" /root/sines
  expect "Device 0:" in_root "$heddle" devices
  one_line "clang 22 is missing: install the package clang-22" in_root "$heddle" cc -c /root/sines.cu
  expect "apt-get install clang-22" in_root "$heddle" doctor
}
try_compiler() {
  local heddle=$1/bin/heddle
  expect "sines are right" in_root "$heddle" run /root/sines.cu
  expect "cublasCreate: 0" in_root sh -c "cd /root && '$1/lib/heddle/bin/nvcc' libraries.cu -o own -lcublas -lcufft -lcusolver -lcusparse && ./own"
  in_root sh -c "cd /root && clang++-22 '-I$1/lib/heddle/include' plain.cpp '-L$1/lib/heddle/lib64' -lcudart_static -lpthread -ldl -lrt -o plain && PATH='$1/bin:/usr/bin' ./plain" ||
    fail "a program of another compiler does not run"
  in_root "$heddle" doctor >"$root/root/doctor.txt" || fail "doctor: $(cat "$root/root/doctor.txt")"
}

echo "== the package, without a compiler"
install /root/heddle.deb
try_without_compiler /usr
expect "libopenblas.so.0 cannot be loaded: install the package libopenblas0" in_root heddle run /root/libraries
expect "libfftw3_threads.so.3 cannot be loaded: install the package libfftw3-double3" in_root heddle run /root/libraries
install libopenblas0 libfftw3-double3 libfftw3-single3 libumfpack5 libcholmod3 libspqr2
expect "cusolverSpDcsrlsvluHost: 0" in_root heddle run /root/libraries
for library in libsleef.so.3 libLLVM.so.22.1; do
  path=$(in_root sh -c "readlink -f /usr/lib/*-linux-gnu/$library")
  mv "$root$path" "$root/root/hidden"
  expect "$library is missing: install the package" in_root env CUDA_CACHE_PATH=/tmp/$library heddle run /root/sines
  expect "$library is missing" in_root heddle doctor
  mv "$root/root/hidden" "$root$path"
done

echo "== the tarball, without a compiler"
in_root apt-get purge -y -qq heddle >/dev/null 2>&1
mkdir -p "$root/srv/any folder"
for place in /opt "/srv/any folder"; do
  tar -xzf "$tarball" -C "$root$place"
  mv "$root$place"/heddle-* "$root$place/heddle"
  try_without_compiler "$place/heddle"
done

echo "== the tarball, with clang"
install clang-22
for place in /opt "/srv/any folder"; do
  try_compiler "$place/heddle"
done
mv "$root/srv/any folder/heddle" "$root/srv/moved"
try_compiler /srv/moved
rm -rf "$root/srv/moved" "$root/srv/any folder" "$root/opt/heddle"

echo "== the package, with clang"
install /root/heddle.deb
try_compiler /usr
in_root sh -c 'cd /root && ./plain' || fail "the package's libcudart_static.a does not know where it is"
echo "the package and the tarball work"
