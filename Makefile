# Tasks, each a line anyone could type. `make serve` and `make test` need Python 3.11 or newer, make, and an index for
# pip; everything they install goes into .venv.

PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: playground serve test check golden grammar vscode bench bench-tokens bench-playground bench-editor clean

serve: $(VENV)/.installed-docs  ## show the project's site at http://127.0.0.1:8000, redrawn on every change of text or examples
	$(BIN)/mkdocs serve

test: $(VENV)/.installed-test  ## everything: behaviour, figures in a browser, lint, types, import directions, docs, site
	$(BIN)/pytest -n auto --maxprocesses 8

check: $(VENV)/.installed-test  ## the fast part: format, lint, types, import directions
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

golden: $(VENV)/.installed-test grammar  ## write expected files and generated docs anew; then review `git diff`
	$(BIN)/pytest -n auto --maxprocesses 8 --update-golden

grammar: $(VENV)/.installed-test  ## compile syntax/grammar.lark to assets/grammar.json
	$(BIN)/python -m acdl_mkdocs.syntax.tables

vscode:  ## build editors/vscode/acdl.vsix, the extension for VS Code; needs Node.js 20 or newer
	npm ci --prefix editors/vscode --no-audit --no-fund
	npm run --prefix editors/vscode package

bench: $(VENV)/.installed-test  ## measure; prints a table, writes build/bench.json
	$(BIN)/python benchmarks/run.py

bench-tokens: $(VENV)/.installed-test  ## count model tokens of PML, LAIC and others; prints tables, writes build/bench-tokens.json
	$(BIN)/python benchmarks/tokens.py

playground: $(VENV)/.installed-docs  ## write the playground alone, with all examples, to build/playground
	$(BIN)/acdl playground build/playground examples/*.acdl --name "ACDL figures"

bench-playground: $(VENV)/.installed-test  ## measure the playground in a browser; prints a table
	$(BIN)/python benchmarks/playground_speed.py

bench-editor: $(VENV)/.installed-test  ## measure the language server as an editor waits for it; prints a table
	$(BIN)/python benchmarks/language_server.py

clean:  ## remove what the other tasks made, except .venv
	rm -rf .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist out site
	rm -rf editors/vscode/acdl.vsix editors/vscode/dist editors/vscode/node_modules

# One stamp for each extra of pyproject.toml; a change of that file installs again.
$(VENV)/.installed-%: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

.PRECIOUS: $(VENV)/.installed-%
