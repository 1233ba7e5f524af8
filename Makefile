# The front door: each target is one command of CMake, ctest or scripts/. CMakePresets.json says how
# things are built, CONTRIBUTING.md when to use which.

PREFIX ?= /usr/local
TOILE := build/release/src/app/toile
PRESETS := release debug asan tsan
SOURCES = $(shell find include src test fuzz -name "*.[ch]" -o -name "*.cpp")

.PHONY: help demo test format lint asan tsan bench install clean
.PHONY: setup setup-lint $(PRESETS:%=build-%)

help:
	@echo 'make demo      simulate and draw the default scene: out/demo.png, .mp4, .glb, .json'
	@echo 'make test      build everything and run every test'
	@echo 'make bench     measure the speed of this machine'
	@echo 'make install   into PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make format    format the sources in place'
	@echo 'make lint      check format, width of the docs, order of the folders, and what clang-tidy finds'
	@echo 'make asan      run the tests with AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make tsan      run the tests with ThreadSanitizer'
	@echo 'make clean     remove build/ and out/'

demo: build-release
	@scripts/demo $(TOILE)

test: build-release
	@ctest --preset release

asan: build-asan
	@ctest --preset asan

tsan: build-tsan
	@ctest --preset tsan

bench: build-release
	@$(TOILE) bench spring

install: build-release
	@cmake --install build/release --prefix $(PREFIX)

format: setup-lint
	@clang-format -i $(SOURCES)

lint: setup-lint build-debug
	@clang-format --dry-run -Werror $(SOURCES)
	@test/include_order.sh .
	@test/columns.sh .
	@scripts/tidy build/debug

clean:
	rm -rf build out

# Nothing is configured or built twice: build.ninja runs CMake again by itself when a CMakeLists.txt
# has changed, and only the presets are unknown to it.
$(PRESETS:%=build-%): build-%: build/%/build.ninja
	@cmake --build --preset $*

$(PRESETS:%=build/%/build.ninja): build/%/build.ninja: CMakePresets.json | setup
	@cmake --preset $*

setup:
	@scripts/setup

setup-lint:
	@scripts/setup lint
