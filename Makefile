# Tasks, each a line that anyone could type. `make serve` and `make test` need Python 3.11 or newer, make, git, and an index for
# pip; everything they install goes into .venv. With LOCKED=1 that has the versions of the locks in supply/.

PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK_OF_docs := supply/test.lock
LOCK_OF_test := supply/test.lock
LOCK_OF_supply := supply/supply.lock
LOCK := $(if $(LOCKED),$(sort $(LOCK_OF_docs) $(LOCK_OF_test) $(LOCK_OF_supply)))
STAMP := $(VENV)/$(if $(LOCKED),.locked,.installed)
OTHER := $(VENV)/$(if $(LOCKED),.installed,.locked)

COMPILE = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock"

# This project's workflows and action, and the workflows that it provides for other projects.
WORKFLOWS := .github action.yml examples/workflows/*.yml acdl_mkdocs/assets/new/project/dot-github/workflows/*.yml

# Tests of the engine that start no browser, no site and no program; `test_house.py` checks that.
QUICK := tests/comparison tests/evaluation tests/explanation \
	$(patsubst %,tests/test_%.py,check fences format layout parse references render rules source spec suggest syntax)

# The tests start thousands of programs; with cached bytecode each starts in two thirds of the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: playground renderers serve site quick test test-all check golden hosts hosts-embedded hosts-followed grammar vscode bench bench-peers bench-tokens bench-playground bench-editor counts counts-report soak lock facts test-lowest dist sbom audit fuzz mutants clean

serve: $(STAMP)-docs  ## serve the project's site at http://127.0.0.1:8000; it is rebuilt whenever a text or an example changes
	$(BIN)/mkdocs serve

quick: $(STAMP)-test  ## less than a minute, to run while you write: lint and the tests of the engine, without browsers, sites and processes
	$(BIN)/ruff check
	$(BIN)/pytest -n auto --maxprocesses 8 $(QUICK)

test: $(STAMP)-test  ## everything: behaviour, figures in a browser, lint, types, import directions, docs, site
	$(BIN)/pytest -n auto --maxprocesses 8

test-all: $(STAMP)-test  ## the same tests, some of them with more inputs: disk faults, all examples, every locale
	$(BIN)/pytest --all -n auto --maxprocesses 8

check: $(STAMP)-test  ## the fast part: format, lint, types, import directions
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

golden: $(STAMP)-test grammar  ## rewrite expected files and generated docs; then review `git diff`
	$(BIN)/pytest -n auto --maxprocesses 8 --update-golden

grammar: $(STAMP)-test  ## compile language/syntax/grammar.lark to assets/grammar.json
	$(BIN)/python -m acdl_mkdocs.language.syntax.tables

vscode:  ## build editors/vscode/acdl.vsix, the extension for VS Code; needs Node.js 20 or newer
	npm ci --prefix editors/vscode --no-audit --no-fund
	npm run --prefix editors/vscode package

bench: $(STAMP)-test  ## measure for half an hour; prints tables, writes benchmarks/results.json and the page with the results
	$(BIN)/python benchmarks/run.py

bench-peers: $(STAMP)-test  ## install the tools that `make bench` compares with into build/peers; some need npm
	$(BIN)/python benchmarks/peers_install.py

bench-tokens: $(STAMP)-test  ## count model tokens of PML, LAIC and others; prints tables, writes build/bench-tokens.json
	$(BIN)/python benchmarks/tokens.py

renderers: $(STAMP)-test  ## draw figures with WeasyPrint, CairoSVG and other installed programs, and compare the positions of the letters
	$(PYTHON) -m venv build/renderers
	build/renderers/bin/pip install --quiet weasyprint cairosvg typst
	PATH="$$PATH:$(CURDIR)/build/renderers/bin" $(BIN)/pytest -rs tests/browser/test_renderers.py

site: $(STAMP)-docs  ## check all specs and examples, then build the project's site into site/ in strict mode
	$(BIN)/acdl check --strict $(if $(GITHUB_ACTIONS),--format github) site_src
	$(BIN)/acdl check --strict $(if $(GITHUB_ACTIONS),--format github) examples
	$(BIN)/acdl format --check examples
	$(BIN)/mkdocs build --strict

playground: $(STAMP)-docs  ## build only the playground, with all examples, into build/playground
	$(BIN)/acdl playground build/playground examples/*.acdl --name "ACDL figures"

bench-playground: $(STAMP)-test  ## measure the playground in a browser; prints a table, adds it to the results and their page
	$(BIN)/python benchmarks/playground_speed.py

hosts:  ## build a small site with each docs tool and plugin; makes build/hosts, writes tests/hosts/results.json
	$(PYTHON) tests/hosts/run.py $(HOSTS)

hosts-embedded: $(STAMP)-test  ## build pages written by `acdl embed` with tools that do not know ACDL; needs npm, makes build/hosts-embedded
	$(BIN)/python tests/hosts/embedded.py $(HOSTS)

hosts-followed: $(STAMP)-test  ## follow the instructions for each docs tool word for word in fresh environments; needs npm, makes build/hosts-followed
	$(BIN)/python tests/hosts/follow.py $(HOSTS)

counts: $(STAMP)-test  ## count the instructions of the core path with Valgrind; writes benchmarks/counts.json
	$(BIN)/python benchmarks/counts.py

counts-report: $(STAMP)-test  ## print these counts in a table beside those of the last release; writes nothing
	$(BIN)/python benchmarks/counts.py --compare

bench-editor: $(STAMP)-test  ## measure how long an editor waits for the language server; prints a table, adds it to the results and their page
	$(BIN)/python benchmarks/language_server.py

soak: $(STAMP)-test  ## 2,000 edits under `mkdocs serve`, each compared with a clean build; needs Linux and 30 to 45 minutes
	$(BIN)/python benchmarks/long_serve.py

lock: $(STAMP)-supply  ## rewrite all locks: the newest versions and their hashes, for `make test LOCKED=1`
	$(COMPILE) --extra test --output-file supply/test.lock pyproject.toml
	$(COMPILE) --extra supply --constraints supply/test.lock --output-file supply/supply.lock pyproject.toml
	$(COMPILE) --constraints supply/test.lock --output-file supply/action.lock pyproject.toml
	$(MAKE) facts

facts: $(STAMP)-supply  ## fetch metadata about all dependencies, for the page about them; writes supply/facts.json
	$(BIN)/python -m supply.facts $(FACTS_PYTHON)

test-lowest: $(STAMP)-supply  ## test the oldest versions that pyproject.toml allows, group by group, with the tests that use them
	$(BIN)/python -m supply.lowest

dist: $(STAMP)-test  ## build the wheel and the source archive into build/dist; the same commit gives the same bytes
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) ACDL_REPOSITORY="$(ACDL_REPOSITORY)" $(BIN)/python -m build --no-isolation --outdir build/dist

sbom: $(STAMP)-supply  ## write what each part of the package installs to build/sbom, as CycloneDX
	$(BIN)/python -m supply.sbom build/sbom

audit: $(STAMP)-supply  ## list known vulnerabilities in the locked versions, and weaknesses of workflows
	$(BIN)/zizmor --offline --no-progress $(WORKFLOWS)
	$(BIN)/python -m supply.audit build/audit
	npm audit --prefix acdl_mkdocs/assets/playground --package-lock-only
	npm audit --prefix editors/vscode --package-lock-only

fuzz: $(STAMP)-fuzz  ## search for inputs that break a promise, a minute of processor time for each target
	$(BIN)/python -m fuzz.run --jobs 2

mutants: $(STAMP)-test  ## change the core in 300 places, one at a time, and list the changes that no test notices
	$(PYTHON) -m venv build/mutants/venv
	build/mutants/venv/bin/pip install --quiet mutmut==3.8.1
	build/mutants/venv/bin/python tests/mutation/run.py --python $(BIN)/python $(MUTANTS)

clean:  ## remove everything that other tasks made, except .venv and the corpus of fuzzing
	[ ! -d .cache ] || find .cache -mindepth 1 -maxdepth 1 ! -name fuzz -exec rm -rf {} +
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist out site
	rm -rf editors/vscode/acdl.vsix editors/vscode/dist editors/vscode/node_modules

# One stamp for each extra of pyproject.toml; a change to that file or to the lock installs again. The environment of the other
# mode is removed first. One lock has everything that `docs` and `test` need, the other the tools of `supply`, which need
# nothing of this package.
# A lock is installed without resolving dependencies, and then checked for completeness: pip 23.2 would resolve the extras of
# locked packages again, and fails if one of them has a newer version than the lock.
$(STAMP)-%: pyproject.toml $(LOCK)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(if $(wildcard $(OTHER)-*),--clear) $(VENV)
	$(if $(and $(LOCK),$(LOCK_OF_$*)),$(INSTALL) --require-hashes --no-deps --requirement $(LOCK_OF_$*) && \
		$(if $(filter supply,$*),true,$(INSTALL) --no-deps --no-build-isolation --editable .) && $(BIN)/python -m pip check, \
		$(INSTALL) --editable ".[$*]")
	@touch $@

.PRECIOUS: $(STAMP)-%
