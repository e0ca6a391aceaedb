# The commands. Each installs what it lacks first; `make help` lists them. Results go to stdout, talk and progress to stderr.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup setup-long configure build all test test-long test-sanitize fuzz bench demo lint tidy docs format clean

JOBS ?= $(shell nproc)
SECONDS ?= 60
PYTHON_FILES := $(wildcard bindings bench examples tests tools) $(shell grep -l "^.!/usr/bin/env python3" tools/*)
SHELL_FILES := .ci/run $(shell grep -l "^.!/usr/bin/env bash" tools/*)
CXX_FILES = $(shell find $(wildcard src bindings bench examples tests fuzz) -name '*.cpp' -o -name '*.h' -o -name '*.inl' | sort)

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

setup: ## install what is missing (Debian packages, .venv)
	@tools/setup

configure: setup
	@cmake --preset release --log-level=WARNING >/dev/null

build: configure ## the program and its workers: build/bitpact
	@cmake --build --preset release -j $(JOBS) --target program >&2

all: configure
	@cmake --build --preset release -j $(JOBS) >&2

test: all ## every test but the long ones
	@ctest --preset release -j $(JOBS)

fuzz: setup-long ## every fuzz target for 60 s (SECONDS=, TARGET=, JOBS=); what is found is kept as an input
	@tools/fuzz --seconds $(SECONDS) --jobs $(JOBS) $(TARGET)

demo: build ## MLX against IREE: where they differ, why, and the form that does not
	@tools/demo

bench: all ## what exactness costs
	@tools/bench

lint: setup ## formats, layers, words
	@echo "lint: clang-format" >&2; clang-format --dry-run -Werror $(CXX_FILES)
	@echo "lint: ruff" >&2; .venv/bin/ruff check --quiet $(PYTHON_FILES); .venv/bin/ruff format --quiet --check $(PYTHON_FILES)
	@echo "lint: shell scripts, layers, words" >&2; for file in $(SHELL_FILES); do bash -n $$file; done
	@.venv/bin/python tools/check_layers.py; .venv/bin/python tools/check_words.py

format: setup ## bring all sources into form
	@clang-format -i $(CXX_FILES)
	@.venv/bin/ruff check --quiet --fix $(PYTHON_FILES); .venv/bin/ruff format --quiet $(PYTHON_FILES)

docs: build ## write the generated pages again
	@tools/generate_docs

test-long: setup-long lint all tidy ## all of it: 10^7 random operands, sanitizers, a second compiler, clang-tidy, fuzzing
	@BITPACT_RANDOM_CASES=10000000 ctest --preset release-long -j $(JOBS)
	@$(MAKE) --no-print-directory test-sanitize
	@cmake --preset clang --log-level=WARNING >/dev/null; cmake --build --preset clang -j $(JOBS) >&2; ctest --preset clang -j $(JOBS)
	@tools/fuzz --seconds 60 --jobs $(JOBS)

test-sanitize: setup ## the tests under the address, undefined-behaviour and thread sanitizers
	@cmake --preset sanitize --log-level=WARNING >/dev/null; cmake --build --preset sanitize -j $(JOBS) >&2; ctest --preset sanitize -j $(JOBS)
	@cmake --preset thread --log-level=WARNING >/dev/null; cmake --build --preset thread -j $(JOBS) --target thread_tests >&2
	@$$(setarch -R true 2>/dev/null && echo setarch -R) ctest --preset thread -j $(JOBS) # at fixed addresses where that is allowed: some are not the thread sanitizer's

setup-long:
	@tools/setup packages-long.txt

tidy: setup-long ## clang-tidy over src and bindings
	@cmake --preset alone --log-level=WARNING >/dev/null; tools/tidy $(JOBS) build-alone

clean: ## remove what was built (not .venv)
	@rm -rf build build-*
