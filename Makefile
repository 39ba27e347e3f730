# One target per task; each makes the environment it needs, and makes it again only when
# pyproject.toml changes. `make` alone lists the targets.

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV := .venv
MINIMAL := .venv-minimal
OLDEST := .venv-oldest
INTEGRATIONS := .venv-integrations
BIN := $(VENV)/bin
PYTEST_WORKERS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHON
# The suites start many processes: what one has compiled serves the others.
unexport PYTHONDONTWRITEBYTECODE

# ---- for people -------------------------------------------------------------------------

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: $(VENV)/.ready ## evaluate the bundled examples and leave a report page
	$(BIN)/stakes demo

.PHONY: test
test: test-full test-minimal check ## run everything that must pass: both suites, ruff, mypy

.PHONY: test-full
test-full: $(VENV)/.ready ## the suite, the docstring examples and the pages, with the extras
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --doctest-modules tests src

.PHONY: test-minimal
test-minimal: $(MINIMAL)/.ready ## the same with core dependencies only, at their lowest versions
	STAKES_ENVIRONMENT=minimal $(MINIMAL)/bin/python -m pytest -q -n $(PYTEST_WORKERS) \
		--doctest-modules --doctest-ignore-import-errors tests src

.PHONY: test-oldest
test-oldest: $(OLDEST)/.ready ## by hand: the same with every extra of the tests at its lowest version
	$(OLDEST)/bin/python -m pytest -q -n $(PYTEST_WORKERS) -W default --doctest-modules tests src

.PHONY: test-integrations
test-integrations: $(INTEGRATIONS)/.ready ## the recipes of docs/integrations.md, with every library they use
	$(INTEGRATIONS)/bin/python -m pytest -q tests/integrations tests/rules

.PHONY: check
check: $(VENV)/.ready ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: bench
bench: $(VENV)/.ready ## run every benchmark and print its ratios
	$(BIN)/python benchmarks/run.py

.PHONY: docs
docs: $(VENV)/.ready-docs ## execute the examples of the pages, then build them into docs/_build
	$(BIN)/python scripts/write_catalogue.py
	$(BIN)/python -m pytest -q tests/test_readme.py
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

.PHONY: clean
clean: ## remove environments, caches and everything that was built
	rm -rf $(VENV) $(MINIMAL) $(OLDEST) $(INTEGRATIONS) build dist docs/_build docs/reference/generated stakes-demo stakes-reproduction
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- environments -----------------------------------------------------------------------

$(VENV)/.ready: pyproject.toml
	@test -x $(BIN)/python || { python=$$(sh scripts/find-python) && "$$python" -m venv $(VENV); }
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@

$(VENV)/.ready-docs: $(VENV)/.ready
	$(BIN)/python -m pip install -q -e '.[docs]'
	@touch $@

$(MINIMAL)/.ready: pyproject.toml tests/minimum-versions.txt
	@test -x $(MINIMAL)/bin/python || { python=$$(sh scripts/find-python) && "$$python" -m venv $(MINIMAL); }
	$(MINIMAL)/bin/python -m pip install -q -e . -c tests/minimum-versions.txt \
		pytest pytest-xdist hypothesis
	@touch $@

$(INTEGRATIONS)/.ready: pyproject.toml
	@test -x $(INTEGRATIONS)/bin/python || { python=$$(sh scripts/find-python) && "$$python" -m venv $(INTEGRATIONS); }
	$(INTEGRATIONS)/bin/python -m pip install -q -e '.[dev,integrations]'
	@touch $@

$(OLDEST)/.ready: pyproject.toml tests/minimum-versions.txt
	@test -x $(OLDEST)/bin/python || { python=$$(sh scripts/find-python) && "$$python" -m venv $(OLDEST); }
	$(OLDEST)/bin/python -m pip install -q -e '.[dev]' -c tests/minimum-versions.txt
	@touch $@
