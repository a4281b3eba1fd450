# Aliases of what is called most; everything else is ./kubeflow-aks. The first call of a target sets up what it needs in .venv.
SETTABLE := STACK PYTHON
unknown := $(filter-out $(SETTABLE),$(foreach name,$(.VARIABLES),$(if $(filter command line,$(origin $(name))),$(name))))
$(if $(unknown),$(error $(firstword $(unknown)) is not allowed; expected $(firstword $(SETTABLE)) only; ./kubeflow-aks --help shows the options))

# The name reaches commands by the environment, as it was given: make expands nothing in it, no shell reads it.
STACK ?= dev
LOCAL_STACK := $(if $(filter command line,$(origin STACK)),$(value STACK),demo)
override STACK := $(value STACK)
export STACK LOCAL_STACK
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PACKAGE := ckf_spot
PACKAGE_VENV := $(PACKAGE)/.venv
RUN := $(PY) -m kubeflow_aks
REFERENCES := program.settings.reference kubeflow_aks.policy.reference kubeflow_aks.cli.reference kubeflow_aks.pull_request.report.impacts.reference

# The Azure SDK has thousands of modules: where Python may not keep them compiled, every start takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: always help preview test test-components test-rules test-program test-local test-simulation test-package lint docs bench requirements demo demo-down clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

preview: $(VENV)/.runtime ## show what `pulumi up` would create for STACK (default dev); needs no account and no CLI
	@$(RUN) preview -- "$$STACK"

# Half of it needs the providers' SDKs, the other half the cost model's libraries: a process for each, since importing
# both takes as long as many tests.
COMPONENTS := tests/components tests/program/test_plan_arguments.py packages/kubeflow-aks/tests/test_version.py
RULES := tests/program/settings tests/program/planning tests/program/test_packages.py \
  tests/aks_facts packages/kubeflow-aks/tests/cost/model
# Warnings are errors, but for the event loops that pulumi.runtime.test leaves open.
STRICTLY := -W error -W ignore::ResourceWarning
SYNCED := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: ## tests of rules and components: no Azure, no Go, seconds
	@$(MAKE) --no-print-directory --jobs=2 $(SYNCED) test-components test-rules

test-components: $(VENV)/.dev
	@$(PY) -m pytest $(STRICTLY) $(COMPONENTS)

test-rules: $(VENV)/.dev
	@$(PY) -m pytest $(STRICTLY) $(RULES)

# What `make test-local` or `make test` runs already.
SIMULATION := packages/kubeflow-aks/tests/tools packages/kubeflow-aks/tests/local_aks
LEFT_OUT := $(SIMULATION:%=--ignore=%) --ignore=tests/aks_facts --ignore=packages/kubeflow-aks/tests/cost/model

test-program: $(VENV)/.dev ## tests of the whole program for every stack, of its preview and of the pages
	@$(PY) -m pytest --numprocesses 3 tests/program/whole packages/kubeflow-aks/tests packages/kubeflow-aks/tests/docs packages/kubeflow-aks/tests/deploy $(LEFT_OUT)

# Fewer collections of garbage; the limit keeps an API server that is given every operator's CRDs from 8 GiB.
# If the tools can't be built the first step prints why, and the tests that need them are skipped; in CI they fail.
test-local: $(VENV)/.dev ## the local AKS's tests, on the real engine and a real control plane; builds the tools once
	@$(RUN) local build --with argo --with training --with tofu --with juju --with sdks --with trainer --crds || test $$? -eq 1 -a -z "$$KUBEFLOW_AKS_REQUIRE_TOOLS"
	@GOGC=800 GOMEMLIMIT=2GiB $(PY) -m pytest packages/kubeflow-aks/tests/local $(SIMULATION) --local -rs \
	  --numprocesses 6 --dist loadfile --no-loadscope-reorder

test-simulation: $(VENV)/.dev ## the local AKS's tests that need no built tools
	@$(PY) -m pytest $(SIMULATION)

test-package: $(PACKAGE_VENV)/.dev ## the data scientist's package, in an environment of its own
	@cd $(PACKAGE) && .venv/bin/python -m pytest

lint: $(VENV)/.dev $(PACKAGE_VENV)/.dev ## style, types, who imports whom, generated files
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/pyright
	@cd $(PACKAGE) && .venv/bin/pyright
	@PYTHONPATH=.:$(PACKAGE)/src $(VENV)/bin/lint-imports --no-cache
	@$(PY) -m kubeflow_aks.text.generated --check $(REFERENCES)
	@$(VENV)/bin/shellcheck --external-sources --source-path=SCRIPTDIR packages/kubeflow-aks/src/kubeflow_aks/handoff/scripts/*.sh
	@$(VENV)/bin/zizmor --offline --quiet --persona=auditor .github
	@$(call actionlint)

# It does not know `$/`, the references to one's own repository of 2026-07-30; their folders are checked by a test.
define actionlint
	if command -v go >/dev/null; then \
	  go -C .github/actionlint tool actionlint -shellcheck= -pyflakes= -ignore 'specifying action "[$$]/' "$(CURDIR)"/.github/workflows/*.yml; \
	elif test -n "$$KUBEFLOW_AKS_REQUIRE_TOOLS"; then echo "error: the workflows are not checked: actionlint needs Go" >&2; exit 1; \
	else echo "workflows: not checked by actionlint, which needs Go" >&2; fi
endef

docs: $(VENV)/.dev $(PACKAGE_VENV)/.dev ## write what is generated: settings and policy reference, Pulumi.yaml's keys, the README's numbers and picture, notebooks
	@$(PY) -m kubeflow_aks.text.generated --write $(REFERENCES) kubeflow_aks.preview.readme
	@$(PY) -m kubeflow_aks.scenario.report.picture packages/kubeflow-aks/tests/scenario/data/observations.json docs/pictures/demo.svg
	@$(PACKAGE_VENV)/bin/jupytext --quiet --update --to ipynb $(PACKAGE)/examples/pipelines/*.py

bench: $(VENV)/.dev ## run times side by side, as ratios; about 20 minutes, on a machine that does nothing else
	@$(PY) -m tests.benchmarks.start
	@$(PY) -m tests.benchmarks.program
	@$(PY) -m tests.benchmarks.cost
	@$(PY) -m tests.benchmarks.month
	@$(RUN) local build
	@$(PY) -m tests.benchmarks.engine
	@$(PY) -m tests.benchmarks.eviction
	@$(PY) -m tests.benchmarks.scale
	@$(PY) -m tests.benchmarks.pull_request

demo: $(VENV)/.dev ## play the promises of this product on a local AKS of STACK (default demo), without Azure
	@$(RUN) demo -- "$$LOCAL_STACK"

demo-down: $(VENV)/.dev ## remove all that the demo started
	@$(RUN) local down

LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
requirements: $(VENV)/.dev ## compile the lock files from pyproject.toml
	@$(VENV)/bin/$(LOCK) --group runtime -o requirements.txt
	@$(VENV)/bin/$(LOCK) -c requirements.txt --group commands -o packages/kubeflow-aks/requirements-commands.txt
	@$(VENV)/bin/$(LOCK) -c packages/kubeflow-aks/requirements-commands.txt --group dev -o packages/kubeflow-aks/requirements-dev.txt
	@$(VENV)/bin/$(LOCK) packages/kubeflow-aks/tests/policy/checkov/requirements.in -o packages/kubeflow-aks/tests/policy/checkov/requirements.txt
	@cd $(PACKAGE) && ../$(VENV)/bin/$(LOCK) pyproject.toml --group dev -o packages/kubeflow-aks/requirements-dev.txt
	@cd $(PACKAGE) && for sdk in katib training; do \
	  ../$(VENV)/bin/$(LOCK) --group $$sdk -o requirements-$$sdk.txt || exit 1; done

# What runs is known by notes in build/<stack>/local, so it is stopped before they go.
clean: ## stop what runs and remove what was built here
	@! ls -d build/*/local >/dev/null 2>&1 || $(RUN) local down
	@! ls -d build/*/local >/dev/null 2>&1 || { echo "error: nothing else is removed" >&2; exit 1; }
	rm -rf build $(VENV) $(PACKAGE_VENV)

# Each is a note of what was installed, by content: `kubeflow-aks set-up` returns at once where nothing changed.
$(VENV)/.runtime $(VENV)/.commands $(VENV)/.dev: always
	@$(PYTHON) kubeflow-aks set-up $(subst .,,$(@F))

$(PACKAGE_VENV)/.dev: $(PACKAGE)/requirements-dev.txt $(PACKAGE)/pyproject.toml | $(VENV)/.dev
	@echo "Setting up $(PACKAGE_VENV) (once, seconds) …" >&2
	@$(PY) -m kubeflow_aks.environment $(PACKAGE_VENV) $<
	@$(PACKAGE_VENV)/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e $(PACKAGE)
	@touch $@
