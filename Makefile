# Two commands for a newcomer: `make demo` and `make test`. Both set up their own virtual environment.

PYTHON  ?= python3
VENV    ?= .venv
BIN     := $(VENV)/bin
DEMO    := .demo
INSTALL ?= $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := pyproject.toml setup.py $(wildcard src/rankgauge/core/*.?pp)
# Where the core takes part. The rest is tested on the compiled core alone; `make twin` takes all of it.
CORE    := core formats golden twins

# Two installations at once would compile the core in one place.
.NOTPARALLEL:
.PHONY: help demo test lint base types thorough twin mutants fuzz fuzz-core trials sanitize compilers oldest extras peers
.PHONY: dist rehearse release-check bench site pictures clean

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

# Each of these compiles the core, which takes half a minute, so none of them needs another.
$(VENV)/tested: $(SOURCES) tests/without-dependencies.txt | $(BIN)/python
	@$(INSTALL) --editable '.[test]'
	@$(INSTALL) --no-deps -r tests/without-dependencies.txt
	@touch $@

$(VENV)/warned: $(SOURCES) tests/compilers.py | $(VENV)/tested
	@$(BIN)/python tests/compilers.py warnings
	@touch $@

$(VENV)/benched: $(SOURCES) | $(BIN)/python
	@$(INSTALL) --editable '.[bench]'
	@touch $@

$(VENV)/plotted: $(SOURCES) | $(BIN)/python
	@echo "installing, which takes about a minute"
	@$(INSTALL) --editable '.[plot]'
	@touch $@

$(VENV)/sited: $(SOURCES) | $(BIN)/python
	@test -e $(VENV)/tested || $(INSTALL) --editable '.[site]'
	@touch $@

demo: $(VENV)/plotted  ## evaluate an embedded demonstration campaign, and make a report on it
	@rm -rf $(DEMO)
	@$(BIN)/rankgauge demo $(DEMO)
	@echo "To go on, activate the environment: . $(BIN)/activate; cd $(DEMO)"
	@echo "  rankgauge diff qrels.txt runs/bm25.run runs/rerank.run   which topics and documents changed"
	@echo "  rankgauge explain qrels.txt runs/bm25.run                what a value is made of"
	@echo "  rankgauge figure curve qrels.txt runs -o curve.svg       a measure at every rank"

test: $(VENV)/tested  ## everything that has to hold: style, types, layers, tests on both cores
	@test -n "$$JAVA_HOME" || command -v java >/dev/null || echo "There is no Java: evaluation on Spark is not tested."
	@# Types take one processor, and Spark waits much of the time: both have tests beside them.
	@$(MAKE) --no-print-directory lint & lint=$$!; trap "kill $$lint" INT TERM; \
	$(BIN)/python -m pytest -q -n auto -m 'not spark'; tests=$$?; \
	wait $$lint && exit $$tests
	@$(BIN)/python -m pytest -q -m spark tests/extensions/devices/spark & spark=$$!; trap "kill $$spark" INT TERM; \
	RANKGAUGE_PURE=1 $(BIN)/python -m pytest -q -n auto $(CORE:%=tests/%); pure=$$?; \
	wait $$spark && exit $$pure

lint: $(VENV)/tested $(VENV)/warned  ## style, types and layers alone
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports

types: $(VENV)/tested  ## types as on Windows and macOS: calls that a system lacks are found
	@$(BIN)/mypy --no-error-summary --platform win32 --cache-dir .mypy_cache/win32
	@$(BIN)/mypy --no-error-summary --platform darwin --cache-dir .mypy_cache/darwin

base: $(VENV)/tested  ## the tests of the base package alone, on a copy that has no extensions
	@$(BIN)/python tests/without_extensions.py -- -q -n auto

thorough: $(VENV)/tested  ## every test with new random examples, and many of them, on all collections (long)
	@RANKGAUGE_THOROUGH=1 $(BIN)/python -m pytest -q -n auto -m 'not spark'

twin: $(VENV)/tested  ## every test on the pure core
	@RANKGAUGE_PURE=1 $(BIN)/python -m pytest -q -n auto

mutants: $(VENV)/tested  ## a sample of changes to formulas and statistics, which tests have to notice (long)
	@$(BIN)/python tests/mutants.py

fuzz: $(VENV)/tested  ## a million random cases: mutated files through both cores, damaged archives and scores, odd ids (long)
	@$(BIN)/python -m pytest -q -n auto tests/core tests/formats tests/model --fuzz 165000

fuzz-core:  ## the compiled core fuzzed with coverage guidance, under sanitizers; needs Clang with libFuzzer
	@$(PYTHON) tests/fuzz_core.py

trials: $(VENV)/tested  ## write the page of what was tried and what fell, for a release (long)
	@$(BIN)/python tests/trials.py

sanitize: $(VENV)/tested  ## the compiled core under the address, undefined-behaviour and thread sanitizers (long)
	@$(BIN)/python tests/sanitize.py

compilers: $(VENV)/tested  ## the core built with GCC, Clang and, for other systems, zig; their values compared (long)
	@$(INSTALL) ziglang
	@$(BIN)/python tests/compilers.py

oldest:  ## a smoke test with the lowest allowed versions of the dependencies
	@$(PYTHON) tests/oldest.py

extras:  ## install each extra alone in a new environment, and use it (long)
	@$(PYTHON) tests/extras.py

peers:  ## the test suites of other tools, on our interfaces; CHECKOUTS='ranx=FOLDER ...' adds some (long)
	@$(PYTHON) tests/peers.py $(CHECKOUTS)

dist:  ## build the sdist and the wheels for this machine, check them, and test them in new environments (long)
	@$(PYTHON) tests/distributions.py

rehearse: dist  ## upload to a package index on this machine, and install from it on every Python there is (long)
	@$(PYTHON) tests/rehearse.py

release-check:  ## list what a release still lacks: addresses, the changelog, with TAG=v1.2.3 the version
	@$(PYTHON) tests/release.py $(TAG)

bench: $(VENV)/benched  ## the benchmarks, against other tools (long)
	@$(BIN)/python bench/run.py

site: $(VENV)/sited  ## build the documentation site, in the folder site
	@$(BIN)/python docs/build_site.py site

pictures: $(VENV)/tested  ## draw the gallery of figures and the pictures of the docs anew
	@$(BIN)/python docs/gallery.py
	@$(BIN)/python docs/picture.py
	@$(BIN)/python docs/from_scratch.py
	@$(BIN)/python docs/screenshots.py

clean:  ## remove what was made
	@rm -rf $(VENV) $(DEMO) build dist site src/*.egg-info src/rankgauge/core/_compiled*.so bench/work
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
