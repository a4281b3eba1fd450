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
COMMANDS := packages/kubeflow-aks
CKF_SPOT := packages/ckf-spot
CKF_SPOT_VENV := $(CKF_SPOT)/.venv
RUN := $(PY) -m kubeflow_aks
# Fewer collections of garbage: a third less time.
PYRIGHT := NODE_OPTIONS=--max-semi-space-size=128 $(VENV)/bin/pyright
REFERENCES := program.settings.reference kubeflow_aks.policy.reference kubeflow_aks.cli.reference kubeflow_aks.pull_request.report.impacts.reference

# The Azure SDK has thousands of modules: where Python may not keep them compiled, every start takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: always help preview test test-program test-components test-stacks test-rules test-packages test-kubeflow-aks test-ckf-spot test-local test-simulation stacks lint docs prices checksums bench requirements demo demo-down clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

preview: $(VENV)/.runtime ## show what `pulumi up` would create for STACK (default dev); needs no account and no CLI
	@$(RUN) preview -- "$$STACK"

# Rules need none of the providers' SDKs, whose import takes as long as many tests; three processes keep two cores busy to the end.
COMPONENTS := tests/components tests/program/test_plan_arguments.py
STACKS := tests/program/whole
RULES := tests/aks_facts tests/program/planning tests/program/settings tests/program/test_packages.py
# Warnings are errors, but for the event loops that pulumi.runtime.test leaves open.
STRICTLY := -W error -W ignore::ResourceWarning
SYNCED := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: ## tests of the program, its components and its facts: no Azure, no Go, seconds
	@$(MAKE) --no-print-directory --jobs=3 $(SYNCED) test-program

test-program: test-components test-stacks test-rules

test-components: $(VENV)/.dev
	@$(PY) -m pytest $(STRICTLY) $(COMPONENTS)

test-stacks: $(VENV)/.dev
	@$(PY) -m pytest $(STRICTLY) $(STACKS)

test-rules: $(VENV)/.dev
	@$(PY) -m pytest $(STRICTLY) $(RULES)

test-packages: test-kubeflow-aks test-ckf-spot ## tests of the commands, the pages and the data scientists' package

# What `make test-local` runs already.
SIMULATION := $(COMMANDS)/tests/tools $(COMMANDS)/tests/local_aks

test-kubeflow-aks: $(VENV)/.dev
	@$(PY) -m pytest --numprocesses 3 $(COMMANDS)/tests $(SIMULATION:%=--ignore=%)

test-ckf-spot: $(CKF_SPOT_VENV)/.dev
	@cd $(CKF_SPOT) && .venv/bin/python -m pytest

# Tests call make. Fewer collections of garbage; the limit keeps an API server that is given every operator's CRDs from 8 GiB.
# If the tools can't be built the first step prints why, and the tests that need them are skipped; in CI they fail.
test-local: $(VENV)/.dev ## the local AKS's tests, on the real engine and a real control plane; builds the tools once
	@$(RUN) local build --with argo --with training --with tofu --with juju --with sdks --with yaml --with trainer --with katib --with ray --with kueue --with alerts --with kubernetes-provider --crds || test $$? -eq 1 -a -z "$$KUBEFLOW_AKS_REQUIRE_TOOLS"
	@MAKEFLAGS= GOGC=800 GOMEMLIMIT=2GiB $(PY) -m pytest $(COMMANDS)/tests/local $(SIMULATION) --local -rs \
	  --numprocesses 6 --dist loadfile --no-loadscope-reorder

test-simulation: $(VENV)/.dev ## the local AKS's tests that need no built tools
	@$(PY) -m pytest $(SIMULATION)

stacks: $(VENV)/.dev ## preview and policy of every stack file
	@for file in Pulumi.*.yaml; do \
	  stack=$${file#Pulumi.}; stack=$${stack%.yaml}; \
	  $(RUN) preview "$$stack" >/dev/null && $(RUN) policy "$$stack" >/dev/null || exit 1; done

lint: $(VENV)/.dev $(CKF_SPOT_VENV)/.dev ## style, types, who imports whom, generated files
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(PYRIGHT)
	@cd $(CKF_SPOT) && $(PYRIGHT)
	@PYTHONPATH=.:$(COMMANDS)/src:$(CKF_SPOT)/src $(VENV)/bin/lint-imports --no-cache
	@$(PY) -m kubeflow_aks.text.generated --check $(REFERENCES)
	@$(VENV)/bin/shellcheck --external-sources --source-path=SCRIPTDIR .ci/run $(COMMANDS)/src/kubeflow_aks/handoff/scripts/*.sh
	@$(VENV)/bin/zizmor --offline --quiet --persona=auditor .github
	@$(call actionlint)

# It does not know `$/`, the references to one's own repository of 2026-07-30; their folders are checked by a test.
define actionlint
	if command -v go >/dev/null; then \
	  go -C .github/actionlint tool actionlint -shellcheck= -pyflakes= -ignore 'specifying action "[$$]/' "$(CURDIR)"/.github/workflows/*.yml; \
	elif test -n "$$KUBEFLOW_AKS_REQUIRE_TOOLS"; then echo "error: the workflows are not checked: actionlint needs Go" >&2; exit 1; \
	else echo "workflows: not checked by actionlint, which needs Go" >&2; fi
endef

docs: $(VENV)/.dev $(CKF_SPOT_VENV)/.dev ## write what is generated: settings and policy reference, Pulumi.yaml's keys, the README's numbers and picture, notebooks
	@$(PY) -m kubeflow_aks.text.generated --write $(REFERENCES) kubeflow_aks.preview.readme kubeflow_aks.scenario.report.picture
	@$(CKF_SPOT_VENV)/bin/jupytext --quiet --update --to ipynb $(CKF_SPOT)/examples/pipelines/*.py

prices: $(VENV)/.dev ## renew aks_facts/ondemand_prices.csv from Azure's price list; minutes, no account
	@$(PY) -m kubeflow_aks.cost.prices.renewal

checksums: $(VENV)/.dev ## renew the checksums of the tools that `local build --download` takes; seconds, with the internet
	@$(PY) -m kubeflow_aks.tools.checksums

bench: export PYTHONPATH := $(COMMANDS):.
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
	@$(VENV)/bin/$(LOCK) -c requirements.txt --group commands -o $(COMMANDS)/requirements-commands.txt
	@$(VENV)/bin/$(LOCK) -c $(COMMANDS)/requirements-commands.txt --group dev -o $(COMMANDS)/requirements-dev.txt
	@cd $(COMMANDS)/tests/policy/checkov && $(CURDIR)/$(VENV)/bin/$(LOCK) requirements.in -o requirements.txt
	@cd $(CKF_SPOT) && $(CURDIR)/$(VENV)/bin/$(LOCK) pyproject.toml --group dev -o requirements-dev.txt
	@cd $(CKF_SPOT) && for sdk in katib training; do \
	  $(CURDIR)/$(VENV)/bin/$(LOCK) --group $$sdk -o requirements-$$sdk.txt || exit 1; done

# What runs is known by notes in build/<stack>/local, so it is stopped before they go.
clean: ## stop what runs and remove what was built here
	@! ls -d build/*/local >/dev/null 2>&1 || $(RUN) local down
	@! ls -d build/*/local >/dev/null 2>&1 || { echo "error: nothing else is removed" >&2; exit 1; }
	rm -rf build $(VENV) $(CKF_SPOT_VENV)

# Each is a note of what was installed, by content: `kubeflow-aks set-up` returns at once where nothing changed.
$(VENV)/.runtime $(VENV)/.commands $(VENV)/.dev: always
	@$(PYTHON) kubeflow-aks set-up $(subst .,,$(@F))

$(CKF_SPOT_VENV)/.dev: $(CKF_SPOT)/requirements-dev.txt $(CKF_SPOT)/pyproject.toml | $(VENV)/.dev
	@echo "Setting up $(CKF_SPOT_VENV) (once, seconds) …" >&2
	@$(PY) -m kubeflow_aks.environment $(CKF_SPOT_VENV) $< --built kfp-server-api
	@$(CKF_SPOT_VENV)/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e $(CKF_SPOT)
	@touch $@
