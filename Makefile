# Every target sets up what it needs first; `make` alone lists them.
#
# Knobs: EXTRAS="kafka s3"   further jar sets for setup to fetch (see src/headwater/lake/jars.lock)
#        PYTEST="-k name"    further arguments for pytest

BIN    := .venv/bin
EXTRAS ?=
PYTEST ?=
SEEDS  ?= 10
# fetched before the tests, which would otherwise fetch them at the same time
TEST_JARS := s3 oss kafka kafka-broker

# The tests start hundreds of processes, each of which would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-unit run-unit run-servers run-spark run-studio nightly fuzz lint fmt bench lock clean

help:       ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 12

setup:      ## build .venv from the lock, fetch the jars, install Java where apt-get may
	@scripts/setup.sh $(EXTRAS)

demo: setup ## run the demonstration
	@$(BIN)/headwater demo

test: lint  ## lint, then the tests
	@scripts/setup.sh --postgres
	@scripts/setup.sh --browser
	@scripts/setup.sh --dbt
	@scripts/setup.sh $(TEST_JARS) $(EXTRAS)
	@$(MAKE) --no-print-directory --jobs=1 run-unit run-servers
	@# Those in a browser mostly wait, those on Spark never do: together they take little longer.
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=line run-spark run-studio

run-unit:
	$(BIN)/python -m pytest tests/unit -m "not servers and not large and not laws" -n 2 \
	    --dist worksteal $(PYTEST)

# One worker more than cores, because they often wait for servers.
run-servers:
	$(BIN)/python -m pytest tests/unit tests/laws -m "servers or large or laws" -n 3 \
	    --dist worksteal $(PYTEST)

run-spark:
	$(BIN)/python -m pytest tests --ignore=tests/unit --ignore=tests/laws --ignore=tests/studio \
	    -m "not nightly" -n 2 --dist worksteal $(PYTEST)

# In processes of their own: the browser's driver leaves a loop running in each.
run-studio:
	$(BIN)/python -m pytest tests/studio -m "not nightly" -n 2 --dist loadfile \
	    --no-loadscope-reorder $(PYTEST)

test-unit: setup run-unit ## the tests that need neither a JVM nor a server, without laws

nightly: setup ## the relatives of cases that `make test` runs: more points, more stores
	$(BIN)/python -m pytest tests -m nightly -n 2 --dist worksteal $(PYTEST)

fuzz: setup ## random dynamic tables, streams, schedules and kills; SEEDS=100 says how many
	HEADWATER_SEEDS=$(SEEDS) $(BIN)/python -m pytest tests/spark/test_deltas_random.py \
	    tests/spark/test_refresh_random.py tests/spark/test_stream_property.py \
	    tests/spark/test_changes_property.py tests/unit/schedule/test_simulation.py \
	    -n 2 $(PYTEST)
	HEADWATER_KILLS=20 HEADWATER_TABLES=30 \
	    $(BIN)/python -m pytest tests/crash/test_schedule_crash.py $(PYTEST)
	HEADWATER_SERVICE_CLIENTS=200 HEADWATER_SERVICE_KILLS=10 HEADWATER_SERVICE_SECONDS=10 \
	    $(BIN)/python -m pytest tests/crash/test_service_load_crash.py $(PYTEST)

lint: setup ## style, types, layering, file sizes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@find . -name '*.py' -not -path './.*' -exec wc -l {} + | \
	    awk '$$2 != "total" && $$1 > 500 { print $$2 " has " $$1 " lines, 500 are allowed"; bad = 1 } \
	         END { exit bad }'

fmt: setup  ## format the code and apply the safe fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: setup ## run the benchmarks
	@$(BIN)/python -m bench

lock:       ## resolve the dependencies of pyproject.toml anew (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
	    --generate-hashes --no-annotate --upgrade --quiet \
	    --custom-compile-command 'make lock' -o requirements.lock
	uv pip compile examples/dbt/requirements.in --universal --python-version 3.11 \
	    --generate-hashes --no-annotate --no-strip-extras --upgrade --quiet \
	    --custom-compile-command 'make lock' -o examples/dbt/requirements.lock
	uv pip compile scripts/uv.in --universal --python-version 3.11 \
	    --generate-hashes --no-annotate --upgrade --quiet \
	    --custom-compile-command 'make lock' -o scripts/uv.lock

clean:      ## remove the environments and everything built or cached in this folder
	rm -rf .venv .venv-dbt dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
