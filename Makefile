# Every target works on a fresh clone with Python ≥ 3.11, Rust and make; all it needs goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-all test-live rust-test lint format bench docs fuzz wheel clean

demo: $(VENV)/.demo
	@$(BIN)/rankwise demo
	@echo
	@$(BIN)/rankwise study studies/hotels.toml -o build/demo

test: $(VENV)/.test
	cargo test --release --quiet --workspace --exclude rankwise-python
	$(BIN)/python -m pytest -m "not slow and not live"

test-all: $(VENV)/.test
	cargo test --release --quiet --workspace --exclude rankwise-python
	$(BIN)/python -m pytest -m "not live"

# The emulated tools themselves, on random data; one test file a tool.
test-live: $(VENV)/.live
	$(BIN)/python -m pytest -m live tests/live

lint: $(VENV)/.lint
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	cargo clippy --quiet --workspace -- -D warnings
	cargo fmt --all --check

format: $(VENV)/.lint
	$(BIN)/ruff check --fix-only --quiet src tests benchmarks
	$(BIN)/ruff format src tests benchmarks
	cargo fmt --all

# The peers live in a benchmark kit outside the project: make bench KIT=path/to/kit
bench: $(VENV)/.test
	@test -n "$(KIT)" || { echo "make bench KIT=DIR, where DIR/bench holds the peers' kit (see benchmarks/README.md)"; exit 2; }
	$(BIN)/python benchmarks/speed/arrays.py --kit $(KIT)
	$(BIN)/python benchmarks/speed/trec.py --kit $(KIT)
	$(BIN)/python benchmarks/speed/letor.py --kit $(KIT)
	$(BIN)/python benchmarks/speed/bootstrap.py
	$(BIN)/python benchmarks/speed/compare.py
	$(BIN)/python benchmarks/speed/startup.py

# Mutated inputs for each parser; the figures are in benchmarks/LOG.md.
fuzz:
	for parser in letor scores numbers; do cargo run --release --quiet -p rankwise-kernels --example fuzz -- $$parser 1000000; done
	cargo run --release --quiet -p rankwise-kernels --example fuzz_trec -- 1000000

wheel: $(VENV)/.build
	$(BIN)/maturin build --release --out dist

clean:
	rm -rf $(VENV) target build dist

SOURCES := pyproject.toml Cargo.toml $(shell find rust -name '*.rs' -o -name Cargo.toml)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.build: | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet 'maturin>=1.9,<2' 'pip>=25.1'
	@touch $@

# The package is installed in place, so that Python sources need no step of their own.
$(VENV)/.installed: $(SOURCES) $(VENV)/.build
	$(BIN)/python -m pip install --quiet 'numpy>=1.26' 'scipy>=1.13' 'duckdb>=2'
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	$(BIN)/python -m compileall -q src/rankwise
	@touch $@

$(VENV)/.demo: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet 'scikit-learn>=1.5' 'lightgbm>=4.5' 'altair>=5.5' 'vl-convert-python>=1.7'
	@touch $@

$(VENV)/.test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.live: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group live
	@touch $@

$(VENV)/.lint: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
