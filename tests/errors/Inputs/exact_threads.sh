#!/bin/sh
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# exact_threads.sh PROGRAM: runs its cases 0, 1, ... at all widths. The first line of the output says what the report,
# which must come once, has to say; after it nothing else may be printed twice.
failed=0
for width in "" 32 16 8 1; do
  number=0
  while :; do
    output=$(HEDDLE_GUARD=error HEDDLE_WIDTH=$width timeout 600 "$1" $number 2>&1)
    status=$?
    [ $status -eq 77 ] && break
    wanted=$(printf '%s\n' "$output" | head -n 1)
    got=$(printf '%s\n' "$output" | sed -n 's|^========= *at .*/\([^/]*\)$|\1|p; s/^========= *\(by .*\)/\1/p' |
      paste -sd ' ')
    # At width 1 nobody knows of the others of the warp.
    [ "$width" = 1 ] && wanted=${wanted%%, and *}
    # ... and below 32 only of a part of them; which width a kernel has by itself is the cost model's.
    case "$width" in "" | 8 | 16) wanted=${wanted%%, and *} got=${got%%, and *} ;; esac
    printed=$(printf '%s\n' "$output" | grep -c '^once$\|^counted')
    if [ $status -ne 0 ] || [ "$got" != "$wanted" ] || [ "$printed" -gt 1 ]; then
      failed=1
      printf 'width "%s", case %s: exit status %s, wanted: %s, got: %s\n%s\n' "$width" $number $status "$wanted" \
        "$got" "$output"
    fi
    number=$((number + 1))
  done
  [ $number -lt 10 ] && failed=1 && echo "only $number cases ran at width '$width'"
done
exit $failed
