# Two commands from a fresh clone: `make demo` (core dependencies only) and `make test`.
# Each environment is set up once; a stamp file remembers it and is older than the lock it was made from when the lock changes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check
OUT ?= demo-report
# Two processes, a file each: what CI machines have. `make test JOBS=0` runs in one.
JOBS ?= 2
# Names, versions and hashes; no addresses.
LOCK_FLAGS := --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-emit-find-links \
  --no-header --no-annotate --quiet
# The build tools are locked too, so nothing that is installed goes unchecked.
PROJECT := $(PIP) install --quiet --no-deps --no-build-isolation --editable .

.PHONY: help demo test lint calibration bench lock map clean

help: ## Print this list.
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

demo: $(VENV)/.core ## The demo report, from nothing installed; goes to demo-report/.
	$(VENV)/bin/judgestats demo --out $(OUT)
	@echo "The report is at $(abspath $(OUT))/index.html"

test: $(VENV)/.dev ## All tests but the slow calibration runs.
	$(PYTHON) -m pytest -m "not calibration" -n $(JOBS) --dist loadfile $(ARGS)

lint: $(VENV)/.dev ## Style, format and types.
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

calibration: $(VENV)/.dev ## Simulation-based calibration and coverage; takes long.
	$(PYTHON) -m pytest -m calibration $(ARGS)

bench: $(VENV)/.dev ## Speed, as ratios.
	@for file in benchmarks/*.py; do echo "== $$file"; $(PYTHON) "$$file"; done

lock: $(VENV)/.dev ## Write locks/*.txt anew: names, versions and hashes.
	@for extra in "core:" "dev:--extra dev" "all:--all-extras"; do \
	  $(VENV)/bin/uv pip compile pyproject.toml $${extra#*:} \
	    $(LOCK_FLAGS) --output-file locks/$${extra%%:*}.txt; \
	done
	@printf 'hatchling>=1.27,<2\neditables>=0.5,<1\n' | $(VENV)/bin/uv pip compile - --constraint locks/all.txt \
	  $(LOCK_FLAGS) --output-file locks/build.txt

map: $(VENV)/.dev ## Write the map of modules in ARCHITECTURE.md anew.
	$(PYTHON) tests/house/module_map.py

clean: ## Remove the demo report and caches, not the environment.
	rm -rf demo-report build dist .pytest_cache .mypy_cache .ruff_cache

# A Python that can run the project: on PATH, or among pyenv's. The first that answers wins.
define FIND_PYTHON
find_python() { \
  for candidate in python3.12 python3.13 python3.14 python3 python "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python; do \
    if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then echo "$$candidate"; return; fi; \
  done; \
  echo "make: no Python 3.12 or newer with venv was found; install one (for instance python3.12 and python3.12-venv) and run again." >&2; \
  exit 1; \
}
endef

$(PYTHON):
	@$(FIND_PYTHON); python="$$(find_python)"; echo "Making $(VENV) with $$python"; "$$python" -m venv $(VENV)

$(VENV)/.core: locks/core.txt locks/build.txt pyproject.toml | $(PYTHON)
	@if [ ! -e $(VENV)/.dev ]; then $(PIP) install --quiet --require-hashes -r locks/core.txt -r locks/build.txt; fi
	@$(PROJECT)
	@touch $@

$(VENV)/.dev: locks/dev.txt locks/build.txt pyproject.toml | $(PYTHON)
	@$(PIP) install --quiet --require-hashes -r locks/dev.txt -r locks/build.txt
	@$(PROJECT)
	@touch $@ $(VENV)/.core
