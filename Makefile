# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a bare Debian 12: `make run` and `make test` install what is missing, build, and do their work.
#
#   make                    build the product
#   make run                simulate the N-body example, which writes nbody.png
#   make test [TEST=...]    all tests, or those in one file or folder, or unit tests by name
#   make check-all          the same at every width and for other processors, and fuzzers for longer
#   make bench              the benchmarks
#   make package            packages for Debian, and a tarball
#   make install PREFIX=... the tool, the toolkit folder and the CMake package
PREFIX ?= /usr/local
PRESET ?= release
BUILD := build/$(PRESET)

.PHONY: all build run test check-all bench package install setup
all: build

setup:
	tools/setup.sh $(SETUP_FLAGS)

# The packages of CUDA Fortran are large, and OpenCL is not run.
run: SETUP_FLAGS := --without-fortran

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | setup
	cmake --preset $(PRESET)

# Configures again when the packages of CUDA Fortran or OpenCL have come since.
build: $(BUILD)/build.ninja
	@[ -e $(BUILD)/opencl ] || [ ! -e /usr/lib/clc ] || [ ! -e /usr/include/CL/cl_icd.h ] || cmake --preset $(PRESET)
	@[ -e $(BUILD)/lib/heddle/bin/heddle-fortran ] || ! command -v flang-22 >/dev/null || cmake --preset $(PRESET)
	cmake --build $(BUILD)

# What the compiler and the runtime of CUDA C++ need; the libraries and CUDA Fortran come with `make`.
run: $(BUILD)/build.ninja
	cmake --build $(BUILD) --target heddle
	$(BUILD)/bin/heddle run examples/nbody.cu

test: build
	cmake --build $(BUILD) --target unit-tests
	tools/run_tests.sh $(BUILD) $(TEST)

check-all: build
	cmake --build $(BUILD) --target unit-tests
	tools/run_tests.sh --all $(BUILD) $(TEST)

bench: build bench/run.sh
	bench/run.sh $(BUILD)

# Packages for Debian and a tarball, in $(BUILD)/packages; tools/test_package.sh tries them.
package: build
	cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)/packages

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)
