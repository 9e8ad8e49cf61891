# Second Me. `make` alone prints what can be made.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup start stop demo test test-fast test-full test-e2e pictures lighthouse test-kill test-openapi test-attacks test-gpu bench reader fuzz lint format schema docs check lock release clean

BIN := .venv/bin
RUN ?= reader-run
PYTEST := $(BIN)/python -m pytest

help: ## Print this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install everything; says what the system lacks and how to get it
	@.ci/setup

start: ## Start the node and open it in the browser
	@$(BIN)/lpm start --detach

stop: ## Stop the node
	@$(BIN)/lpm stop

demo: ## Start a node of its own with the invented sample life
	@$(BIN)/lpm demo

test: ## Everything: lint, types, contracts, all tests, the screen, the browser
	@.ci/test

test-fast: ## The tests that need no process and no model
	@$(PYTEST) -q -m "(unit or property or protocol) and not slow"

test-full: ## All of it at full length: more kills, worlds and edits than `make test` tries
	@LPM_FULL=1 .ci/test

test-e2e: ## A browser against the real node
	@.ci/test e2e

pictures: ## The picture of every face of every screen, in lpm_frontend/test-results/pictures
	@cd lpm_frontend && LPM_PICTURES=all npx playwright test pictures

lighthouse: ## Accessibility and best practices of every screen, measured in the machine's browser
	@cd lpm_frontend && npm run --silent lighthouse

test-kill: ## SIGKILL in 200 runs of whatever a home goes through, from reading to making its index anew; LPM_KILLS names another number
	@LPM_KILLS=$${LPM_KILLS:-200} $(PYTEST) -q -rP tests/integration/test_kill_home.py

test-openapi: ## Many requests to every call of the contract, well-formed and not; LPM_OPENAPI_EXAMPLES names how many
	@LPM_OPENAPI_EXAMPLES=$${LPM_OPENAPI_EXAMPLES:-100} $(PYTEST) -q tests/integration/test_openapi.py

test-attacks: ## What an enemy of the peer protocol tries, 100 kills of either side in 500 exchanges (LPM_PEER_KILLS), ten minutes of broken bytes (LPM_ATTACK_SECONDS)
	@LPM_ATTACK_SECONDS=$${LPM_ATTACK_SECONDS:-600} LPM_ATTACK_SEED=$${LPM_ATTACK_SEED:-$$(date +%s)} LPM_PEER_KILLS=$${LPM_PEER_KILLS:-100} \
		$(PYTEST) -q -rP tests/protocol/test_attacks.py tests/integration/test_peer_kills.py tests/protocol/test_fuzz.py

test-gpu: ## What needs an accelerator
	@$(PYTEST) -q -m gpu || [ $$? -eq 5 ] # 5: there is none

bench: ## Measure, and say what was reached; LPM_BENCH names the folder of the recall benchmark
	@OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE $(PYTEST) -q -s -m bench tests/bench

reader: ## Teach the reader anew (an hour or more); READING names a folder with sets of questions besides ours, RUN where it learns
	@$(BIN)/python -m lpm_kernel.backends.embed.e5.course prepare $(RUN) lpm_kernel/L2/data/reading/*.xz $(filter-out %/xquad.jsonl.xz %-new-wiki.jsonl.xz,$(wildcard $(READING)/*.xz))
	@$(BIN)/python -m tests.bench.reading_groups $(RUN)
	@[ -f $(RUN)/recipe.json ] || echo '{}' > $(RUN)/recipe.json
	@$(BIN)/python -m lpm_kernel.L2.recipes.reader $(RUN)
	@$(BIN)/python -m lpm_kernel.backends.embed.e5.course take $(RUN)

fuzz: ## Feed every parser broken files; SECONDS=60 for each, ENTRY=pdf for one
	@$(BIN)/python -m tests.fuzz.fuzz --seconds $(or $(SECONDS),60) $(ENTRY)

lint: ## Style, types, floors and doors; the screen likewise
	@.ci/test lint

format: ## Write the code as the formatter would
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .
	@cd lpm_frontend && npm run --silent format

schema: ## Make openapi.json and the screen's types from the signatures
	@$(BIN)/python -m lpm_kernel.api.describe
	@PYTHONPATH=. $(BIN)/python docs/reference/generate.py
	@cd lpm_frontend && npm run --silent schema

docs: ## Check what the documents promise
	@$(PYTEST) -q tests/docs -m "docs"

check: test ## What CI runs

lock: ## Write the lock files anew from pyproject.toml
	@.ci/lock

release: ## Say what a release still needs
	@.ci/release
	@$(MAKE) --no-print-directory check

clean: ## Remove what can be made again; never the home
	@rm -rf build dist reports lpm_frontend/.next lpm_frontend/out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find lpm_kernel protocol tests -name __pycache__ -type d -prune -exec rm -rf {} +
