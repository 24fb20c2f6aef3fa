#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tries what `make package` made in a clean Debian 12 that has no compiler. Needs root, network and debootstrap.
#
#   tools/test_package.sh [build folder] [folder for the clean root]
#
# A root that is there already is used again: first all is taken out of it but what debootstrap's minimal variant
# installs. MIRROR and SECURITY name other mirrors than those of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
root=${2:-$(mktemp -d /tmp/heddle-root.XXXXXX)}
mirrorOf() { apt-cache policy | awk -v suite="$1/main" '$3 == suite { print $2; exit }'; }
mirror=${MIRROR:-$(mirrorOf bookworm)}
security=${SECURITY:-$(mirrorOf bookworm-security)}

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
install() {
  in_root apt-get install -y -qq --no-install-recommends "$@" >"$root/root/apt.log" 2>&1 ||
    fail "apt-get install $*: $(tail -5 "$root/root/apt.log")"
}
# shell COMMANDS: in the clean root's /root.
shell() { in_root sh -c "cd /root && $*"; }

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

# All that the build has for users is in a package: tools, modules, libraries, archives that are no parts of these.
packed=$(for package in "$build"/packages/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -t; done |
  sed 's,^\./usr/lib/,,; s,/$,,' | sort)
built=$(cd "$build/lib" && {
  find heddle ! -type d ! -path 'heddle/devlib*.bc' ! -name libgpu_stand_in.so
  ls ./*.so* ./*.a | sed 's,^\./,,' | grep -Ev '^libheddle_.*\.a$|_test_' | sed 's,^,heddle/lib64/,'
} | sort)
left=$(comm -23 <(echo "$built") <(echo "$packed"))
[ -z "$left" ] || fail "the packages lack $left"
echo "ok: the packages have all $(wc -l <<<"$built") files of the toolkit"

if [ ! -e "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
fi
printf 'deb %s bookworm main\ndeb %s bookworm-security main\n' "$mirror" "$security" >"$root/etc/apt/sources.list"
in_root apt-get update -qq
# What is required, apt, and what these depend on stay.
in_root dpkg-query -W -f '${Package} ${Priority}\n' |
  awk '$2 != "required" && $1 != "apt" { print $1 }' >"$root/tmp/others"
in_root xargs -a /tmp/others apt-mark auto >/dev/null
in_root apt-get autoremove -y -qq --purge -o APT::AutoRemove::RecommendsImportant=false \
  -o APT::AutoRemove::SuggestsImportant=false >/dev/null
for package in libllvm22 libsleef3 $(dpkg-deb -f "$deb" Recommends | tr -d ,); do
  ! in_root dpkg -s "$package" >/dev/null 2>&1 || fail "the root is not clean: it has $package"
done
for tool in clang-22 g++ gcc cc ld; do
  ! in_root sh -c "command -v $tool" || fail "the root is not clean: it has $tool"
done
rm -rf "$root/root/"* "$root/opt/"* "$root/srv/"*
cp "$deb" "$root/root/heddle.deb"

# Programs that were compiled elsewhere, and what to compile.
nvcc=$build/lib/heddle/bin/nvcc
inputs=tests/tool/Inputs
version="heddle $(sed -n 's/^project(heddle VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
"$nvcc" $inputs/missing/sines.cu -o "$root/root/sines"
"$nvcc" $inputs/missing/sines.cu -cudart shared -o "$root/root/shared"
"$nvcc" -fatbin $inputs/missing/sines.cu -o "$root/root/sines.fatbin"
"$nvcc" $inputs/missing/driver_sines.c -o "$root/root/driver" -lcuda
"$nvcc" $inputs/missing/libraries.cu -o "$root/root/libraries" -lcublas -lcufft -lcusolver -lcusparse
cp -r $inputs "$root/root/Inputs"
cp $inputs/missing/* $inputs/plain.cpp "$root/root/"

# The programs run; the tool names what compiling needs. `$1` is the tool's prefix.
try_without_compiler() {
  local heddle=$1/bin/heddle tools=$1/lib/heddle/bin
  expect "$version" in_root "$heddle" --version
  expect "sines are right" in_root "$heddle" run /root/sines
  expect "sines are right" in_root env "PATH=$1/bin:/usr/bin:/bin" /root/sines
  expect "sines are right" in_root env "LD_LIBRARY_PATH=$1/lib/heddle/lib64" /root/shared
  expect "the driver's sines are right" in_root "$heddle" run /root/driver /root/sines.fatbin
  expect "the driver's sines are right" \
    in_root env "LD_LIBRARY_PATH=$1/lib/heddle/lib64" /root/driver /root/sines.fatbin
  expect "Device 0:" in_root "$heddle" devices
  expect "Result = PASS" in_root "$tools/deviceQuery"
  expect "GPU 0:" in_root "$tools/nvidia-smi" -L
  one_line "clang 22 is missing: install the package clang-22" in_root "$heddle" cc -c /root/sines.cu
  expect "apt-get install clang-22" in_root "$heddle" doctor
}
try_compiler() {
  local heddle=$1/bin/heddle toolkit=$1/lib/heddle nvcc
  nvcc="'$toolkit/bin/nvcc'"
  expect "sines are right" in_root "$heddle" run /root/sines.cu
  expect "cublasCreate: 0" shell "$nvcc libraries.cu -o own -lcublas -lcufft -lcusolver -lcusparse && ./own"
  expect "the driver's sines are right" shell \
    "$nvcc -fatbin sines.cu -o own.fatbin && $nvcc driver_sines.c -o own -lcuda && ./own own.fatbin"
  shell "clang++-22 '-I$toolkit/include' plain.cpp '-L$toolkit/lib64' -lcudart_static -lpthread -ldl -lrt -o plain &&
    PATH='$1/bin:/usr/bin' ./plain" || fail "a program of another compiler does not run"
  in_root "$heddle" doctor >"$root/root/doctor.txt" || fail "doctor: $(cat "$root/root/doctor.txt")"
  expect "All that is needed is there." cat "$root/root/doctor.txt"
}

echo "== the package, without a compiler"
install /root/heddle.deb
try_without_compiler /usr
expect "libopenblas.so.0 cannot be loaded: install the package libopenblas0" in_root heddle run /root/libraries
expect "libfftw3_threads.so.3 cannot be loaded: install the package libfftw3-double3" in_root heddle run /root/libraries
install libopenblas0 libfftw3-double3 libfftw3-single3 libumfpack5 libcholmod3 libspqr2
expect "cusolverSpDcsrlsvluHost: 0" in_root heddle run /root/libraries
for library in libheddle_driver.so libcuda.so.1 libcudart.so.12; do
  mv "$root/usr/lib/heddle/lib64/$library" "$root/root/hidden"
  expect "$library is not there; install Heddle again" in_root heddle doctor
  mv "$root/root/hidden" "$root/usr/lib/heddle/lib64/$library"
done
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
shell ./plain || fail "the package's libcudart_static.a does not know where it is"

echo "== the package, with g++ and CMake"
install g++ make cmake
expect "the driver's sines are right" shell \
  "cc -I/usr/lib/heddle/include driver_sines.c -L/usr/lib/heddle/lib64/stubs -lcuda -o own && heddle run ./own own.fatbin"
expect "100% tests passed" shell "cmake -S Inputs/cmake_project -DCMAKE_PROJECT_INCLUDE=/root/Inputs/use_heddle.cmake \\
  -B project && cmake --build project -j2 && ctest --test-dir project"

if ls "$build"/packages/heddle-fortran_*.deb >/dev/null 2>&1; then
  echo "== CUDA Fortran"
  cp "$build"/packages/heddle-fortran_*.deb "$root/root/heddle-fortran.deb"
  cp examples/fortran/averages.cuf "$root/root/"
  expect "install the package heddle-fortran" in_root heddle run /root/averages.cuf
  install /root/heddle-fortran.deb
  expect "4-pt Max Error: 0.000000" in_root heddle run /root/averages.cuf
  expect "4-pt Max Error: 0.000000" shell "/usr/lib/heddle/bin/nvfortran averages.cuf -o own && ./own"
fi
echo "the package and the tarball work"
