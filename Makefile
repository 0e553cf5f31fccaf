# Each target works by itself on a fresh clone with python3 and make. The environment is made once: `$(READY)` installs
# what a player needs; `$(READY_TO_TEST)` adds what tests need, when they are first run.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_TO_TEST := $(VENV)/ready-to-test
READY_WITH_EXTRAS := $(VENV)/ready-with-extras
READY_TO_SERVE := $(VENV)/ready-to-serve
READY_TO_SCALE := $(VENV)/ready-to-scale
READY_TO_RELEASE := $(VENV)/ready-to-release
READY_TO_COMPILE := $(VENV)/ready-to-compile
# What `make test-all` installs beside what `make test` does: the page server, Playwright, a PostgreSQL driver, Dask, ...
EXTRAS := test,browser,mutants,pettingzoo,postgres,release,scale,web
# `make serve LISTEN=0.0.0.0:8000` shows the pages to the whole network.
LISTEN ?= 127.0.0.1:8000
SHOWN := examples/web-ladder
SHOWN_DB := build/serve/arena.db
# Two processes more than there are processors: many tests wait, for a clock or for a process.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# Environment variables of the tests (tests/kit/effort.py): SOAK=1 tries far more cases, as `make soak` does; with
# SOAK_MINUTES=10 a ladder of forty agents then plays for 10 minutes, not for an hour.

# Tests start thousands of processes. Without bytecode on the disk each of them compiles the sources again.
unexport PYTHONDONTWRITEBYTECODE

STYLE := $(BIN)/ruff check . && $(BIN)/ruff format --check .
# Without the extras their types are unknown; `make test-all` checks all.
KNOWN_TYPES := --disable-error-code import-not-found --allow-subclassing-any --no-warn-return-any --no-warn-unused-ignores
TYPES = $(BIN)/mypy $$([ -e $(READY_WITH_EXTRAS) ] || echo "$(KNOWN_TYPES)")
TESTS := $(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal

.PHONY: demo serve fast test test-all test-fast extras mutants soak lint bench docs release clean

demo: $(READY)
	$(BIN)/arena demo

# A ladder of built-in agents and its pages, until Ctrl-C. The same command continues it; `make clean` deletes it.
serve: $(READY_TO_SERVE) $(SHOWN_DB)
	$(BIN)/arena serve $(SHOWN)/ladder.toml --db $(SHOWN_DB) --web --listen $(LISTEN)

$(SHOWN_DB): | $(READY_TO_SERVE)
	@mkdir -p $(@D)
	$(BIN)/arena ladder open $(SHOWN)/ladder.toml --db $@
	@for agent in $(SHOWN)/*.py; do name=$$(basename $$agent .py); echo "handing in: $$name"; \
	  said=$$($(BIN)/arena submit $$agent --as $$name --db $@ 2>&1) || { echo "$$said"; exit 2; }; done

# The searches and six games compiled, which makes them several times faster; it needs a C compiler.
fast: $(READY_TO_COMPILE)
	$(BIN)/python .ci/compiled.py

# Tests, and meanwhile style and types, which are printed below them.
define CHECKED
@($(STYLE) && $(TYPES)) > $(VENV)/lint.log 2>&1 & lint=$$!; \
$(TESTS) --part $(1); tests=$$?; \
wait $$lint; style=$$?; cat $(VENV)/lint.log; \
[ $$tests = 0 ] || echo "make $@: tests failed, see above"; \
[ $$style = 0 ] || echo "make $@: style or types failed, see above"; \
[ $$tests = 0 ] && [ $$style = 0 ]
endef

# What costs little: a few minutes.
test: $(READY_TO_TEST)
	$(call CHECKED,quick)

# The rest: what costs more, and what `make test` skipped because an extra or a program was missing.
test-all: $(READY_WITH_EXTRAS)
	$(call CHECKED,rest)

# What searches, in the compiled form. Its own tests are skipped without it.
test-fast: $(READY_TO_TEST) fast
	$(TESTS) --part quick tests/adsearch tests/agents tests/arena/match

extras: $(READY_WITH_EXTRAS)

lint: $(READY_TO_TEST)
	$(STYLE) && $(TYPES)

soak: $(READY_TO_TEST)
	SOAK=1 $(BIN)/pytest --timeout=3600

# How many small wrong changes of the code the tests find: `make mutants OPTIONS="--number 8 --tests tests/db"`.
mutants: $(READY_WITH_EXTRAS)
	$(BIN)/python -m tests.mutants $(OPTIONS)

bench: $(READY_TO_SERVE) $(READY_TO_SCALE)
	$(BIN)/python benchmarks/games.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/referee.py
	$(BIN)/python benchmarks/tournament.py
	$(BIN)/python benchmarks/hosts.py
	$(BIN)/python benchmarks/where.py
	$(BIN)/python benchmarks/peers.py
	$(BIN)/python benchmarks/season.py
	$(BIN)/python benchmarks/database.py
	$(BIN)/python benchmarks/walls.py
	$(BIN)/python benchmarks/similar.py
	$(BIN)/python benchmarks/live.py
	$(BIN)/python benchmarks/cli.py
	$(BIN)/python benchmarks/web.py

# The docs as a site of files in build/docs.
docs: $(READY)
	rm -rf build/docs && $(BIN)/arena docs --write build/docs

# Wheel and sdist in dist/, checked; publishes nothing.
release: $(READY_TO_RELEASE)
	.ci/release $(BIN)/python

# Python compiles a module when it is first imported; pip would compile thousands that nobody imports.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable

# The environment itself; pip is the last thing that comes into it.
$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { echo "there is no program $(PYTHON); try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "arena-referee needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) has no venv; on Debian and Ubuntu: apt install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) .
	@touch $@

# It includes what a player needs, so pip runs only once.
$(READY_TO_TEST): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) '.[test]'
	@touch $(READY) $@

# Not every machine has a wheel of OpenSpiel. Its module `pyspiel` needs no other package.
$(READY_WITH_EXTRAS): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) '.[$(EXTRAS)]'
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
	  --constraint constraints.txt open_spiel
	@touch $(READY) $(READY_TO_TEST) $@

$(READY_TO_SERVE): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) '.[web]'
	@touch $(READY) $@

$(READY_TO_SCALE): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) '.[scale]'
	@touch $(READY) $@

$(READY_TO_COMPILE): $(READY)
	$(INSTALL) '.[fast]'
	@touch $@

$(READY_TO_RELEASE): $(READY)
	$(INSTALL) '.[release]'
	@touch $@

clean:
	[ ! -d $(dir $(SHOWN_DB)) ] || chmod -R u+w $(dir $(SHOWN_DB)) # agents that were handed in are write-protected
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
