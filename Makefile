# Each target works alone on a fresh clone with python3 and make; the environment is made once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# make EXTRAS=test,browser: also what drives a browser for the tests of pages; without one they are skipped
EXTRAS ?= test
READY := $(VENV)/ready

.PHONY: demo test soak lint bench clean

demo: $(READY)
	$(BIN)/arena demo

test: $(READY) lint
	$(BIN)/pytest --numprocesses auto --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

soak: $(READY)
	SOAK=1 $(BIN)/pytest --timeout=3600

bench: $(READY)
	$(BIN)/python benchmarks/games.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/referee.py
	$(BIN)/python benchmarks/tournament.py
	$(BIN)/python benchmarks/database.py
	$(BIN)/python benchmarks/walls.py
	$(BIN)/python benchmarks/cli.py

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "there is no program $(PYTHON); try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "arena-referee needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
