# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# absent_libraries(folder): makes a linker script lib<name>.so for each CUDA library that this version of Heddle lacks.
# GNU ld, gold and lld read such a file as a library, and end with its message. So -lcublas and CMake's CUDA::cublas say
# what is wrong, and never find the library of another vendor, which would not know of our devices.
function(absent_libraries folder)
  file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/absent_parts.def lines REGEX "^HEDDLE_ABSENT_LIBRARY\\(")
  foreach(line ${lines})
    string(REGEX MATCH "\\((.*), \"(.*)\"\\)" ignored "${line}")
    file(CONFIGURE OUTPUT ${folder}/lib${CMAKE_MATCH_1}.so @ONLY CONTENT
      "ASSERT(0, \"-l${CMAKE_MATCH_1}: ${CMAKE_MATCH_2} is not in this version of Heddle; docs/api_support.md lists what there is\")\n")
  endforeach()
endfunction()
