# What `make package` makes (CPack): packages for Debian, and a tarball that works in any folder.
#
# A program that is compiled already needs the libraries that ours are linked with, which dpkg-shlibdeps finds, and SLEEF,
# which compiled kernels call. What compiles is recommended, so that `apt-get install --no-install-recommends` leaves it
# out, and so is what CUDA's libraries load (lib/support/cpu_libraries.def); `heddle doctor` names each. CUDA Fortran is a
# package of its own, since it brings Flang and MLIR.
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "Heddle")
set(CPACK_PACKAGE_CONTACT "The Heddle authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA C++ and CUDA Fortran on the CPU")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_COMPONENTS_ALL heddle)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib ${LLVM_LIBRARY_DIR}) # libMLIR is there alone
set(CPACK_DEBIAN_HEDDLE_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_HEDDLE_PACKAGE_DEPENDS libsleef3)
file(STRINGS ${CMAKE_SOURCE_DIR}/lib/support/cpu_libraries.def lines REGEX "^HEDDLE_CPU_LIBRARY")
set(recommended clang-22 lld-22 g++)
foreach(line ${lines})
  string(REGEX MATCH "\"[^\"]*\", \"([^\"]*)\"" ignored "${line}")
  list(APPEND recommended ${CMAKE_MATCH_1})
endforeach()
list(REMOVE_DUPLICATES recommended)
list(JOIN recommended ", " CPACK_DEBIAN_HEDDLE_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_HEDDLE_PACKAGE_SUGGESTS "heddle-fortran, libomp-22-dev, libthrust-dev, libcub-dev, libcu++-dev")
set(CPACK_COMPONENT_HEDDLE_DESCRIPTION "Compiles CUDA C++ with nvcc's options and runs it on the processor, without a GPU.")
if(TARGET heddle-fortran)
  list(APPEND CPACK_COMPONENTS_ALL fortran)
  set(CPACK_DEBIAN_FORTRAN_PACKAGE_NAME heddle-fortran)
  set(CPACK_DEBIAN_FORTRAN_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION}), clang-22, flang-22, libflang-22-dev")
  set(CPACK_COMPONENT_FORTRAN_DESCRIPTION "CUDA Fortran for Heddle: heddle fc, called nvfortran too.")
endif()
include(CPack)
