#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Repeats the attacks of docs/robustness.md, for longer than the tests do: some ten minutes on two cores.
#
#   tools/attack.sh BUILD [NAME...]     e.g. tools/attack.sh build/release reopened_library arguments
#
# The builds of tests/attack are made in a folder of their own, with an empty cache. A line says how each attack went.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: tools/attack.sh BUILD [NAME...]}")
shift
heddle=$build/bin/heddle
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CUDA_CACHE_PATH=$folder/cache
failed=0

# attack NAME COMMAND...: runs it if it is asked for.
wanted=("$@")
attack() {
  local name=$1 word
  shift
  if [ ${#wanted[@]} -gt 0 ]; then
    for word in "${wanted[@]}"; do [ "$word" = "$name" ] && break; done
    [ "$word" = "$name" ] || return 0
  fi
  if (cd "$folder" && "$@") > "$folder/log" 2>&1; then
    echo "held    $name: $(tail -1 "$folder/log")"
  else
    echo "BROKEN  $name (status $?):"
    tail -5 "$folder/log"
    failed=1
  fi
}

source=$PWD/tests/attack

reopened() { # TURNS
  "$heddle" cc -shared -Xcompiler -fPIC -DPLUGIN -DBYTES=65536 "$source/reopened_library.cu" -o plugin.so &&
    "$heddle" cc -shared -Xcompiler -fPIC -rdc=true -DPLUGIN -DBYTES=65536 "$source/reopened_library.cu" -o linked.so &&
    "$heddle" cc -fatbin -DPLUGIN -DBYTES=65536 "$source/reopened_library.cu" -o plugin.fatbin &&
    "$heddle" cc "$source/reopened_library.cu" -o reopened &&
    ./reopened ./plugin.so "$1" && ./reopened ./linked.so "$1" && ./reopened ./plugin.fatbin "$1"
}
program() { # FILE ARGUMENTS...
  local file=$1
  shift
  "$heddle" cc "$source/$file.cu" -o "$file" && "./$file" "$@"
}
uncached() {
  CUDA_CACHE_DISABLE=1 "$@"
}

attack reopened_library reopened 100000
attack own_handlers program own_handlers
attack exit_while_compiling uncached program exit_while_compiling 400
attack cancelled_thread uncached program cancelled_thread 60
attack host_function_calls program host_function_calls
attack no_threads uncached program no_threads
attack small_files program small_files
attack small_stacks uncached program small_stacks
attack unmapped_copies program unmapped_copies
attack many_workers env HEDDLE_FUZZ=25 "$build/bin/many_workers_test"
attack arguments env HEDDLE_FUZZ=50 "$build/bin/runtime_arguments_test"
attack images env HEDDLE_FUZZ=50 "$build/bin/base_test" --gtest_filter='ModuleImage.*'
attack objects env HEDDLE_FUZZ=50 "$build/bin/tool_test" --gtest_filter='DeviceObjects.*'
attack streams env HEDDLE_FUZZ=30 "$build/bin/driver_api_fuzz_test"
exit $failed
