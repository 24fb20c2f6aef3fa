#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the tests: the checks of the sources, the unit tests (ctest), and the lit suites in tests/ and examples/.
#
#   tools/run_tests.sh [--fast | --all | --record] BUILD [TEST...]
#
# TEST is a path of a lit test or folder, or a pattern of unit tests' names. --fast leaves out the examples, the
# programs in tests/run, and what is marked "REQUIRES: slow": under a minute. --all runs programs at every width and
# on other processors (tests/tiers.py), and fuzzes for longer. --record empties the tests' cache and writes
# tests/budget.txt, within which later runs must stay (tools/test_times.py).
#
# TEST_TIMES=FILE adds the processor time of each test to a file, TEST_CACHE=FOLDER is another cache of kernels,
# TEST_CPU=x86-64-v3 compiles kernels as on that processor.
set -euo pipefail
cd "$(dirname "$0")/.."

fast=0
tier=default
budget=check # what to do with the times
case "${1:-}" in
--fast) fast=1 ;;
--all)
  tier=all
  export HEDDLE_FUZZ=${HEDDLE_FUZZ:-10} # base/test_fuzz.h
  ;;
--record) budget=record ;;
esac
case "${1:-}" in --*) shift ;; esac
build=${1:?usage: tools/run_tests.sh [--fast | --all | --record] BUILD [TEST...]}
shift
jobs=${JOBS:-$(nproc)}

# lit comes with llvm-22-tools; where it lies has changed over time. The system's Python has psutil.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
prefix=$(llvm-config-22 --prefix 2>/dev/null || echo /usr/lib/llvm-22)
lit=()
for folder in "$prefix/utils/lit" "$prefix/build/utils/lit"; do
  if [ -d "$folder/lit" ]; then
    lit=(env "PYTHONPATH=$folder" "$python" -c 'from lit.main import main; main()')
  fi
done
if [ ${#lit[@]} -eq 0 ]; then
  echo "lit is missing: install llvm-22-tools" >&2
  exit 1
fi

runLit() {
  local plain=()
  [ "$tier" = default ] || plain=(--param plain=1)
  mkdir -p "$build/test-output/home"
  "${lit[@]}" -j "$jobs" --param "build=$build" --param "fast=$fast" --param "tier=$tier" "${plain[@]}" \
    ${TEST_TIMES:+--param "times=$TEST_TIMES"} ${TEST_CACHE:+--param "cache=$TEST_CACHE"} ${TEST_CPU:+--param "cpu=$TEST_CPU"} \
    -v --no-progress-bar "$@" | tee -a "$log"
}

runUnitTests() {
  "$python" tools/test_times.py measure "unit tests" "${TEST_TIMES:-/dev/null}" \
    ctest --test-dir "$build" --output-on-failure "$@" | tee -a "$log"
}

# The names again at the end, where a long log's reader, or a CI system that keeps its tail, finds them.
listFailures() {
  grep -hE '^(FAIL|XPASS|UNRESOLVED|TIMEOUT): |\*\*\*(Failed|Timeout|Exception|Not Run)' "$log" >&2 || true
}

mkdir -p "$build/test-output"
log=$build/test-output/log.txt
: >"$log"
status=0
if [ $# -gt 0 ]; then
  for test in "$@"; do
    if [ -e "$test" ]; then
      runLit "$test" || status=1
    else
      runUnitTests --no-tests=error -R "$test" || status=1
    fi
  done
  exit $status
fi

export TEST_TIMES=${TEST_TIMES:-$(realpath "$build")/test-output/times.txt}
: >"$TEST_TIMES"
if [ "$budget" = record ]; then
  rm -rf "$build/test-output/cache" "$build/test-output/cache.same"
fi

"$python" tools/check_layers.py || status=1
"$python" tools/check_headers.py || status=1
"$python" tools/check_legality.py || status=1
runUnitTests -j "$jobs" || status=1
if [ "$fast" = 1 ]; then
  runLit tests/simt tests/tool tests/errors tests/scripts || status=1
else
  runLit tests examples || status=1
  runLit --param checked=memcheck,racecheck,synccheck,initcheck,floatcheck examples || status=1
fi
if [ "$budget" = record ] && [ $status != 0 ]; then
  echo "some tests failed: no budget is recorded" >&2
  budget=slowest
elif [ "$tier" = all ] || [ "$(basename "$build")" != release ]; then
  budget=slowest
fi
"$python" tools/test_times.py "$budget" "$build" "$TEST_TIMES" || status=1
listFailures
exit $status
