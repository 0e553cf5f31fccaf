# Each target works alone on a fresh clone with python3 and make; the environment is made once. What a player needs comes
# first, `$(READY)`; what tests need is added when they are first run, `$(READY_TO_TEST)`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_TO_TEST := $(VENV)/ready-to-test
# make EXTRAS=test,browser,postgres .venv/ready-to-test: also what drives a browser, and a driver of PostgreSQL; without
# them, or without a browser or a server program, the tests that need them are skipped.
EXTRAS ?= test
# What tests read from the environment (tests/kit/effort.py): SOAK=1 tries far more, as `make soak` does; ALL_WALLS=1 has
# root and an ordinary user attack every kind of walls, as .ci/run does. Without it root attacks a sandbox alone.

LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

.PHONY: demo test soak lint bench clean

demo: $(READY)
	$(BIN)/arena demo

# Style and types are looked at beside the tests, and printed below them.
test: $(READY_TO_TEST)
	@($(LINT)) > $(VENV)/lint.log 2>&1 & lint=$$!; \
	$(BIN)/pytest --numprocesses auto --dist worksteal --durations 25 --durations-min 1; tests=$$?; \
	wait $$lint; style=$$?; cat $(VENV)/lint.log; \
	[ $$tests = 0 ] || echo "make test: tests failed, see above"; \
	[ $$style = 0 ] || echo "make test: style or types failed, see above"; \
	[ $$tests = 0 ] && [ $$style = 0 ]

lint: $(READY_TO_TEST)
	$(LINT)

soak: $(READY_TO_TEST)
	SOAK=1 $(BIN)/pytest --timeout=3600

bench: $(READY)
	$(BIN)/python benchmarks/games.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/referee.py
	$(BIN)/python benchmarks/tournament.py
	$(BIN)/python benchmarks/database.py
	$(BIN)/python benchmarks/walls.py
	$(BIN)/python benchmarks/cli.py

INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "there is no program $(PYTHON); try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "arena-referee needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	@touch $@

$(READY_TO_TEST): $(READY)
	$(INSTALL) '.[$(EXTRAS)]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
