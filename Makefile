# Tasks, each a line anyone could type. `make serve` and `make test` need Python 3.11 or newer, make, and an index for
# pip; everything they install goes into .venv.

PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: playground serve test check golden grammar vscode bench bench-peers bench-tokens bench-playground bench-editor counts counts-report soak lock facts test-lowest dist sbom audit fuzz clean

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

bench: $(VENV)/.installed-test  ## measure; prints tables, writes benchmarks/results.json and the page of it
	$(BIN)/python benchmarks/run.py

bench-peers: $(VENV)/.installed-test  ## install the tools that `make bench` compares with into build/peers; needs npm for some
	$(BIN)/python benchmarks/peers_install.py

bench-tokens: $(VENV)/.installed-test  ## count model tokens of PML, LAIC and others; prints tables, writes build/bench-tokens.json
	$(BIN)/python benchmarks/tokens.py

playground: $(VENV)/.installed-docs  ## write the playground alone, with all examples, to build/playground
	$(BIN)/acdl playground build/playground examples/*.acdl --name "ACDL figures"

bench-playground: $(VENV)/.installed-test  ## measure the playground in a browser; prints a table
	$(BIN)/python benchmarks/playground_speed.py

counts: $(VENV)/.installed-test  ## count the instructions of the core path with Valgrind; writes benchmarks/counts.json
	$(BIN)/python benchmarks/counts.py

counts-report: $(VENV)/.installed-test  ## the same, as a table beside the counts of the last release; writes nothing
	$(BIN)/python benchmarks/counts.py --compare

bench-editor: $(VENV)/.installed-test  ## measure the language server as an editor waits for it; prints a table
	$(BIN)/python benchmarks/language_server.py

soak: $(VENV)/.installed-test  ## 2,000 edits under `mkdocs serve`, each compared with a clean build; prints a table
	$(BIN)/python benchmarks/long_serve.py

lock: $(VENV)/.installed-supply  ## write supply/test.lock anew: the newest versions and their hashes, for `make test LOCKED=1`
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--extra test --custom-compile-command "make lock" --output-file supply/test.lock pyproject.toml
	$(MAKE) facts

facts: $(VENV)/.installed-supply  ## ask metadata about all dependencies, for the page about them; writes supply/facts.json
	$(BIN)/python -m supply.facts $(FACTS_PYTHON)

test-lowest: $(VENV)/.installed-supply  ## the oldest versions that pyproject.toml allows, group by group, with the tests that use them
	$(BIN)/python -m supply.lowest

dist: $(VENV)/.installed-test  ## build/dist: wheel and source archive, the same bytes for the same commit
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --no-isolation --outdir build/dist

sbom: $(VENV)/.installed-supply  ## build/sbom: what each part of the package installs, as CycloneDX
	$(BIN)/python -m supply.sbom build/sbom

audit: $(VENV)/.installed-supply  ## known vulnerabilities of what the locks name
	$(BIN)/pip-audit --strict --require-hashes --disable-pip --requirement supply/test.lock
	npm audit --prefix acdl_mkdocs/assets/playground --package-lock-only
	npm audit --prefix editors/vscode --package-lock-only

fuzz: $(VENV)/.installed-fuzz  ## look for inputs that break a promise, a minute of processor time for each target
	$(BIN)/python -m fuzz.run --jobs 2

clean:  ## remove what the other tasks made, except .venv
	rm -rf .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist out site
	rm -rf editors/vscode/acdl.vsix editors/vscode/dist editors/vscode/node_modules

# One stamp for each extra of pyproject.toml; a change of that file installs again. With LOCKED=1, what `make test` needs has the
# versions and hashes of the lock.
$(VENV)/.installed-%: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(if $(and $(LOCKED),$(wildcard supply/$*.lock)),$(INSTALL) --require-hashes --requirement supply/$*.lock && \
		$(INSTALL) --no-deps --no-build-isolation --editable .,$(INSTALL) --editable ".[$*]")
	@touch $@

.PRECIOUS: $(VENV)/.installed-%
