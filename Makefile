# Everything runs in a virtual environment of its own, .venv, which .ci/venv makes.

PYTHON := .venv/bin/python
DEVELOPMENT := test,lint,bench

.DEFAULT_GOAL := help
.PHONY: help demo test test-long debian lint bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

demo: ## install, compare four controller placements, draw the picture
	@.ci/venv
	@mkdir -p build/demo
	@$(PYTHON) -m emu compare --plot build/demo/compare.png

test: debian lint ## linters, then all tests
	@$(PYTHON) -m pytest -n auto

test-long: debian lint ## the same with the tests that take minutes, and more of the property tests
	@HYPOTHESIS_PROFILE=long $(PYTHON) -m pytest -n auto -m ""

debian:
	@.ci/debian

lint: ## style and types
	@.ci/venv $(DEVELOPMENT)
	@$(PYTHON) -m ruff check
	@$(PYTHON) -m ruff format --check
	@$(PYTHON) -m mypy

bench: debian ## both engines against SimPy, and lockstep beside HDL against cocotb alone
	@.ci/venv $(DEVELOPMENT)
	@$(PYTHON) -m testbenches.bench

clean: ## remove what was built, the virtual environment too
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
