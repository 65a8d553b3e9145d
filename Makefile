# The commands of this project. `make help` lists them; docs/architecture.md explains the code.
SHELL := /bin/bash
SWIFT ?= swift

# What building needs besides Swift, git and make.
BUILD_PACKAGES := pkg-config libturbojpeg0-dev libsqlite3-dev libexif-dev libconfig-dev libgpiod-dev
# What the tests need besides that.
TEST_PACKAGES := libimage-exiftool-perl tzdata e2fsprogs btrfs-progs util-linux mount
# What `make power-cut` needs to build and run.
POWER_CUT_PACKAGES := qemu-system-common e2fsprogs mount python3
# What `make check` needs besides that.
CHECK_PACKAGES := shellcheck clang-format

# One set of flags for everything, so that the program that is tested is the program that runs.
FLAGS := -c release -Xswiftc -warnings-as-errors -Xswiftc -enable-testing
BUILD := $(SWIFT) build $(FLAGS)
SOURCES := Sources Tests bench Package.swift docs/examples/Sources docs/examples/Package.swift
C_SOURCES := $(wildcard Sources/C*/*.c Sources/C*/*.h Sources/C*/include/*.h Tests/C*/*.h .ci/*.c)
SCRIPTS := .ci/run .ci/install-packages .ci/check-structure .ci/fuzz .ci/sanitize bench/burst-memory bench/button-storm \
	bench/library
# How long `make fuzz` gives each reader.
FUZZ_SECONDS ?= 300

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## try it: a simulated camera in this terminal, which presses its own button once
	@.build/release/pinhole run --state .pinhole --sensor simulated --console stdio --press-at-start

.PHONY: build
build: packages-build
	@$(BUILD) --product pinhole

.PHONY: test
# What is judged by the sensor's clock comes last and alone: a machine busy with other tests would delay frames.
test: packages-test ## run every test that this machine can run
	@$(BUILD) --build-tests
	@$(SWIFT) test $(FLAGS) --skip-build --skip PressTests
	@$(SWIFT) test $(FLAGS) --skip-build --filter PressTests
	@$(MAKE) --no-print-directory test-examples

.PHONY: test-examples
test-examples: packages-build ## build and run the programs of docs/examples, which check that every callback comes
	@$(BUILD) --package-path docs/examples --scratch-path .build/examples
	@.build/examples/release/examples

.PHONY: fuzz fuzz-short
fuzz: packages-build ## look for faults in every reader of foreign bytes, FUZZ_SECONDS (300) for each
	@SWIFT="$(SWIFT)" .ci/fuzz $(FUZZ_SECONDS)
fuzz-short: packages-build ## the same with a fixed number of inputs
	@SWIFT="$(SWIFT)" .ci/fuzz short

.PHONY: test-sanitizers
test-sanitizers: packages-test ## the core targets' tests with Address and Thread Sanitizer
	@SWIFT="$(SWIFT)" .ci/sanitize

.PHONY: test-only
test-only: packages-test ## run one suite: make test-only SUITE=KillTests
	@$(BUILD) --build-tests
	@$(SWIFT) test $(FLAGS) --skip-build --filter "$(SUITE)"

.PHONY: power-cut
power-cut: build ## cut the power of a camera's disk at 10,000 points and look for every announced photo; needs root
	@SWIFT="$(SWIFT)" .ci/install-packages $(POWER_CUT_PACKAGES)
	@board/emulated/power-cut .build/release/pinhole

.PHONY: bench
bench: build ## measure; not part of the tests
	@bench/burst-memory .build/release/pinhole
	@$(BUILD) --build-tests
	@SWIFT="$(SWIFT)" bench/button-storm
	@PINHOLE_BENCH=1 $(BUILD) --scratch-path .build-bench --product LibraryBench
	@bench/library .build-bench/release/LibraryBench

.PHONY: check
check: packages-check ## format, lint and structure, findings as errors
	@$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(SOURCES)
	@clang-format --dry-run -Werror $(C_SOURCES)
	@shellcheck $(SCRIPTS)
	@.ci/check-structure --self-test
	@.ci/check-structure

.PHONY: fmt
fmt: packages-check ## format all sources
	@$(SWIFT) format --in-place --recursive --parallel --configuration .swift-format $(SOURCES)
	@clang-format -i $(C_SOURCES)

.PHONY: golden
golden: packages-test ## record the golden files anew; look at the difference before committing
	@$(BUILD) --build-tests
	@PINHOLE_RECORD_GOLDEN=1 $(SWIFT) test $(FLAGS) --skip-build --filter ReferenceTests

.PHONY: doctor
doctor: ## say what is present, in which version, and what is missing
	@SWIFT="$(SWIFT)" .ci/install-packages --list $(BUILD_PACKAGES) $(TEST_PACKAGES) $(CHECK_PACKAGES)

.PHONY: clean
clean: ## remove everything that was built
	@rm -rf .build .build-*

.PHONY: packages-build packages-test packages-check
packages-build:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES)
packages-test:
	@SWIFT="$(SWIFT)" .ci/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
packages-check:
	@SWIFT="$(SWIFT)" .ci/install-packages $(CHECK_PACKAGES)
