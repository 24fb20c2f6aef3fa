# The two commands of the README, from a bare Debian 12: `make run` and `make test`.
PREFIX ?= /usr/local
BUILD := build/release
CXX22 := clang++-22

.PHONY: all build run test install bench setup
all: build

setup:
	tools/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | setup
	cmake --preset release

build: $(BUILD)/build.ninja
	cmake --build $(BUILD)

run: build
	$(BUILD)/bin/heddle run examples/nbody.cu

test: build
	tools/run_tests.sh $(BUILD) $(TEST)

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)
