# The commands of this project. `make help` lists them; docs/architecture.md explains the code.
SHELL := /bin/bash
SWIFT ?= swift
# libcamera logs a banner and warnings about the machine at each start, and the tests start it a thousand times.
export LIBCAMERA_LOG_LEVELS ?= *:FATAL

# Packages for building, besides Swift, git and make.
BUILD_PACKAGES := pkg-config g++ libturbojpeg0-dev libsqlite3-dev libexif-dev libconfig-dev libgpiod-dev libcamera-dev
# Additional packages for the tests.
TEST_PACKAGES := libimage-exiftool-perl gphoto2 tzdata e2fsprogs btrfs-progs dosfstools mtools fdisk util-linux mount
# Packages to build and run `make power-cut`.
POWER_CUT_PACKAGES := gcc qemu-system-common e2fsprogs mount python3
# Additional packages for `make check`.
CHECK_PACKAGES := shellcheck clang-format

# Additional packages for `make deb`.
DEB_PACKAGES := mmdebstrap dpkg-dev binutils
# Additional packages for `make test-board`.
BOARD_PACKAGES := qemu-user-static binfmt-support arch-test qemu-system-arm cpio xz-utils e2fsprogs python3 libjpeg-turbo-progs
# The folder of the build roots, which take minutes to make.
CACHE := $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/pinhole

# One set of flags for everything, so that the tests test the program that users run.
FLAGS := -c release --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors -Xswiftc -enable-testing
BUILD := $(SWIFT) build $(FLAGS)
SOURCES := Sources Tests bench Package.swift docs/examples/Sources docs/examples/Package.swift
C_SOURCES := $(wildcard Sources/Shims/*/*.c Sources/Shims/*/*.cpp Sources/Shims/*/*.hpp Sources/Shims/*/*.h Sources/Shims/*/include/*.h Tests/C*/*.h \
	.ci/*.c .ci/*.cpp board/emulated/*.c)
SCRIPTS := .ci/run .ci/install-packages .ci/fuzz .ci/sanitize .ci/check-shims bench/burst-memory \
	bench/button-storm bench/library deploy/cross-roots deploy/cross-build deploy/build-deb deploy/debian/postinst \
	deploy/debian/prerm deploy/debian/postrm deploy/usr/sbin/pinhole-setup board/emulated/make-root board/emulated/make-image \
	board/emulated/download board/emulated/announce deploy/usr/libexec/pinhole/first-boot \
	deploy/usr/libexec/pinhole/set-clock deploy/make-card-image
PYTHON := $(wildcard board/emulated/*.py) board/emulated/test-board board/emulated/power-cut board/emulated/real-cuts \
	bench/ptp bench/usb .ci/check-structure
# Seconds that `make fuzz` spends on each parser.
FUZZ_SECONDS ?= 300

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## start a simulated camera in this terminal and press its button once
	@.build/release/pinhole run --state .pinhole --sensor simulated --console stdio --press-at-start

.PHONY: build
build: packages-build
	@$(BUILD) --product pinhole
	@$(BUILD) --product pinhole-libcamera

.PHONY: test
# Separate runs: tests that count the descriptors and threads of their own process, and tests that depend on the sensor's
# clock, because other tests on a busy machine would delay frames.
test: packages-test ## run all tests that this machine can run
	@$(BUILD) --build-tests
	@$(SWIFT) test $(FLAGS) --skip-build --skip PressTests --skip LibcameraSensorTests
	@$(SWIFT) test $(FLAGS) --skip-build --filter LibcameraSensorTests
	@$(SWIFT) test $(FLAGS) --skip-build --filter PressTests
	@$(MAKE) --no-print-directory test-examples

.PHONY: test-examples
test-examples: packages-build ## build and run the programs of docs/examples, which check that every callback arrives
	@$(BUILD) --package-path docs/examples --scratch-path .build/examples
	@.build/examples/release/examples

.PHONY: fuzz fuzz-short
fuzz: packages-build ## fuzz every parser of untrusted input, FUZZ_SECONDS (300) each
	@SWIFT="$(SWIFT)" .ci/fuzz $(FUZZ_SECONDS)
fuzz-short: packages-build ## fuzz with a fixed number of inputs
	@SWIFT="$(SWIFT)" .ci/fuzz short

.PHONY: test-sanitizers
test-sanitizers: packages-test ## run the core targets' tests with Address and Thread Sanitizer
	@SWIFT="$(SWIFT)" .ci/sanitize

.PHONY: test-only
test-only: packages-test ## run the tests of one target or one suite: make test-only TARGET=PhotosTests [SUITE=CrashTests]
	@PINHOLE_TESTS="$(TARGET)" $(BUILD) --scratch-path .build-only --build-tests
	@PINHOLE_TESTS="$(TARGET)" $(SWIFT) test $(FLAGS) --scratch-path .build-only --skip-build --filter "$(TARGET)\.$(SUITE)"

.PHONY: power-cut power-cut-replay
power-cut: power-cut-replay packages-board ## cut the power at 10,000 points here and 20 times on the emulated board (as root)
	@mkdir -p $(CACHE)/emulated
	@board/emulated/make-root $(CACHE)/emulated
	@package=$$(deploy/build-deb arm64 .build-deb) && \
		board/emulated/make-image $(CACHE)/emulated .build-power-cut "$$package" >.build-deb/image.log && \
		board/emulated/real-cuts $(CACHE)/emulated .build-power-cut/root.img .build/release/pinhole .build-power-cut/work
power-cut-replay: build ## run the part of power-cut that needs no emulated board (as root)
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES) $(POWER_CUT_PACKAGES)
	@board/emulated/power-cut .build/release/pinhole

.PHONY: bench build-bench
build-bench: packages-build
	@PINHOLE_BENCH=1 $(BUILD) --product LibraryBench
bench: build build-bench ## run the benchmarks
	@bench/burst-memory .build/release/pinhole
	@$(BUILD) --build-tests
	@SWIFT="$(SWIFT)" bench/button-storm
	@bench/library .build/release/LibraryBench
	@SWIFT="$(SWIFT)" .ci/install-packages gphoto2 python3
	@bench/ptp .build/release/pinhole

.PHONY: bench-board
bench-board: build packages-board ## compare the camera over USB with uMTP-Responder, on the emulated board (as root)
	@mkdir -p $(CACHE)/emulated
	@board/emulated/make-root $(CACHE)/emulated
	@package=$$(deploy/build-deb arm64 .build-deb) && \
		bench/usb $(CACHE)/emulated .build-bench-board .build/release/pinhole "$$package"

.PHONY: deb
deb: packages-deb ## build Debian packages in .build-deb, for arm64 with Debian 13 and for this machine (as root)
	@deploy/build-deb arm64 .build-deb
	@SWIFT="$(SWIFT)" deploy/build-deb native .build-deb

.PHONY: test-board
test-board: build packages-board ## test the installed package on the emulated board (as root)
	@mkdir -p $(CACHE)/emulated
	@board/emulated/make-root $(CACHE)/emulated
	@old=$$(deploy/build-deb arm64 .build-deb) && new=$$(deploy/build-deb arm64 .build-deb 2) && \
		board/emulated/make-image $(CACHE)/emulated .build-board "$$old" "$$new" >.build-deb/image.log && \
		board/emulated/real-cuts $(CACHE)/emulated .build-board/root.img .build/release/pinhole .build-board/cuts \
			--cuts 2 --replays 100 && \
		board/emulated/test-board $(CACHE)/emulated .build-board "$$(basename "$$new")"

.PHONY: check
check: packages-check ## check format, lint and structure; findings are errors
	@$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(SOURCES)
	@clang-format --dry-run -Werror $(C_SOURCES)
	@shellcheck $(SCRIPTS)
	@for file in $(PYTHON); do python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' $$file || exit 1; done
	@SWIFT="$(SWIFT)" .ci/check-structure --self-test
	@SWIFT="$(SWIFT)" .ci/check-structure

.PHONY: fmt
fmt: packages-check ## format all sources
	@$(SWIFT) format --in-place --recursive --parallel --configuration .swift-format $(SOURCES)
	@clang-format -i $(C_SOURCES)

.PHONY: golden
golden: packages-test ## record the golden files again; review the difference before committing
	@$(BUILD) --build-tests
	@PINHOLE_RECORD_GOLDEN=1 $(SWIFT) test $(FLAGS) --skip-build --filter ReferenceTests

.PHONY: doctor
doctor: ## list installed packages with versions, and missing ones
	@SWIFT="$(SWIFT)" .ci/install-packages --list $(BUILD_PACKAGES) $(TEST_PACKAGES) $(CHECK_PACKAGES)

.PHONY: clean
clean: ## remove all build output
	@rm -rf .build .build-*

.PHONY: packages-build packages-test packages-check packages-deb packages-board
packages-build:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES)
packages-test:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
packages-check:
	@SWIFT="$(SWIFT)" .ci/install-packages $(CHECK_PACKAGES)
packages-deb:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES) $(DEB_PACKAGES)
packages-board:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES) $(DEB_PACKAGES) $(BOARD_PACKAGES)
