# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# nvcc_examples.sh TOOLKIT BUILD HEDDLE EXAMPLES PREFIX: builds examples with NVIDIA's nvcc and with ours; they must print
# the same but for times.
set -eu
for name in adjacent_difference basic_instructions compare_and_swap divergence encrypt global_communication global_max \
  histogram radix_sort reduction saxpy scalar_product scan spmd_sequence spmv ten_nearest thread_ids vector_add_11 \
  vector_add_nn work_queue; do
  "$1/bin/nvcc" -cudart shared -std=c++17 "$4/$name.cu" -o "$5.$name"
  LD_LIBRARY_PATH=$2/lib "$5.$name" | grep -v '^time' > "$5.theirs"
  "$3" run "$4/$name.cu" | grep -v '^time' > "$5.ours"
  diff "$5.ours" "$5.theirs" || { echo "$name differs"; exit 1; }
done
