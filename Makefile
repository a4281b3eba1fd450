# Everything a person or CI runs. The first call of a target sets up what it needs in .venv.
STACK ?= dev
# The name reaches commands by the environment, as it was given: make expands nothing in it, no shell reads it.
LOCAL_STACK := $(if $(filter command line,$(origin STACK)),$(value STACK),demo)
PR_STACK := $(if $(filter command line,$(origin STACK)),$(value STACK))
override BASE := $(if $(filter command line,$(origin BASE)),$(value BASE),origin/main)
override STACK := $(value STACK)
given = $(if $(filter command line,$(origin $(1))),$(value $(1)))
override FORMAT := $(call given,FORMAT)
override OFFLINE := $(call given,OFFLINE)
override ADVISE := $(call given,ADVISE)
override AGAINST := $(call given,AGAINST)
override OBSERVED := $(call given,OBSERVED)
override MEASURED := $(call given,MEASURED)
override OUTPUTS := $(call given,OUTPUTS)
override STDOUT := $(call given,STDOUT)
override YES := $(call given,YES)
override ANY_NODE := $(call given,ANY_NODE)
override NODES := $(call given,NODES)
override MINUTES := $(call given,MINUTES)
export STACK LOCAL_STACK PR_STACK BASE FORMAT OFFLINE ADVISE AGAINST OBSERVED
export MEASURED OUTPUTS STDOUT YES ANY_NODE NODES MINUTES
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
UV := $(VENV)/bin/uv
PACKAGE := ckf_spot
PACKAGE_VENV := $(PACKAGE)/.venv
BUILD ?= build
RUN_LOCAL := $(PY) -m local_aks --build $(BUILD)

# The Azure SDK has thousands of modules: where Python may not keep them compiled, every start takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help preview quota policy cost stop start handoff verify drill pr-preview test test-program test-local test-simulation test-package lint docs bench requirements demo demo-down local-up local-shell local-down clean

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

preview: $(VENV)/.runtime ## what `pulumi up` would create for STACK (default dev); needs no account and no CLI
	@$(PY) -m preview -- "$$STACK"

quota: $(VENV)/.runtime ## vCPU quota that STACK needs, beside what the subscription has where `az` is signed in
	@$(PY) -m preview.quota -- "$$STACK"

policy: $(VENV)/.runtime ## what became of each rule of policy for STACK, and what is accepted for which reason
	@$(PY) -m policy -- "$$STACK"

cost: $(VENV)/.dev ## what STACK is expected to cost a month, evictions included; FORMAT=markdown|json|svg, OFFLINE=1, ADVISE=1, OBSERVED=where.json, MEASURED=measured.json, AGAINST=main
	@$(PY) -m cost $${FORMAT:+"--format=$$FORMAT"} $${OFFLINE:+--offline} $${ADVISE:+--advise} $${OBSERVED:+"--observed=$$OBSERVED"} $${MEASURED:+"--measured=$$MEASURED"} $${AGAINST:+"--against=$$AGAINST"} --build=$(BUILD) -- "$$STACK"

stop: $(VENV)/.runtime ## stop STACK's cluster on Azure: its objects stay, its nodes cost nothing; FORCE=1 for production
	@$(PY) -m delivery.power stop $${FORCE:+--force} -- "$$STACK"

start: $(VENV)/.runtime ## start STACK's cluster again
	@$(PY) -m delivery.power start -- "$$STACK"

handoff: $(VENV)/.dev ## write what Juju and Terraform need to deploy Charmed Kubeflow into STACK's cluster; STDOUT=1 for a secret store
	@$(PY) -m handoff $${OUTPUTS:+"--outputs=$$OUTPUTS"} $${STDOUT:+--stdout} --build=$(BUILD) -- "$$STACK"

verify: $(VENV)/.dev ## whether STACK's cluster keeps this product's promises; changes nothing; FORMAT=json
	@$(PY) -m verify $${OUTPUTS:+"--outputs=$$OUTPUTS"} $${FORMAT:+"--format=$$FORMAT"} -- "$$STACK"

drill: $(VENV)/.dev ## have Azure take spot nodes of STACK's cluster, and watch what becomes of the work; asks first; YES, ANY_NODE, NODES, MINUTES
	@$(PY) -m drill $${OUTPUTS:+"--outputs=$$OUTPUTS"} $${YES:+--yes} $${ANY_NODE:+--any-node} $${NODES:+"--nodes=$$NODES"} $${MINUTES:+"--minutes=$$MINUTES"} --build=$(BUILD) -- "$$STACK"

pr-preview: $(VENV)/.dev ## what the change since BASE (default origin/main) would do to STACK (default all); needs no account
	@$(PY) -m tools --only pulumi >/dev/null
	@$(PY) -m pull_request $${PR_STACK:+"--stack=$$PR_STACK"} -- "$$BASE"

test: $(VENV)/.dev ## tests of rules and components: no Azure, no Go, seconds
	@$(PY) -m pytest --numprocesses 2

test-program: $(VENV)/.dev ## tests of the whole program for every stack, of its preview and of the pages
	@$(PY) -m pytest --numprocesses 2 tests/program tests/recorder tests/preview tests/docs \
	  tests/policy tests/pull_request tests/revisions tests/delivery tests/writing tests/cost \
	  tests/deployed tests/deploy tests/handoff tests/verify tests/drill

# Where the tools can't be built the first step says why, and the tests that need them skip; CI asks for them instead.
test-local: $(VENV)/.dev ## the local AKS's tests, on the real engine and a real control plane; builds the tools once
	@$(PY) -m tools --with argo --with training --with tofu --crds || test $$? -eq 1 -a -z "$$KUBEFLOW_AKS_REQUIRE_TOOLS"
	@GOGC=400 $(PY) -m pytest tests/local tests/tools tests/local_aks tests/kube tests/story --local -rs \
	  --numprocesses 4 --dist loadfile --no-loadscope-reorder

test-simulation: $(VENV)/.dev ## the local AKS's tests that need no built tools
	@$(PY) -m pytest tests/tools tests/local_aks tests/kube tests/story

test-package: $(PACKAGE_VENV)/.dev ## the data scientist's package, in an environment of its own
	@cd $(PACKAGE) && .venv/bin/python -m pytest

lint: $(VENV)/.dev $(PACKAGE_VENV)/.dev ## style, types, who imports whom, generated files
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/pyright
	@cd $(PACKAGE) && .venv/bin/pyright
	@PYTHONPATH=.:$(PACKAGE)/src $(VENV)/bin/lint-imports --no-cache
	@$(PY) -m settings.reference --check
	@$(PY) -m policy.reference --check
	@$(VENV)/bin/shellcheck --external-sources --source-path=SCRIPTDIR handoff/scripts/*.sh
	@$(VENV)/bin/zizmor --offline --quiet --persona=auditor .github
	@$(call actionlint)

# It does not know `$/`, the references to one's own repository of 2026-07-30; their folders are checked by a test.
define actionlint
	if command -v go >/dev/null; then \
	  go -C .github/actionlint tool actionlint -shellcheck= -pyflakes= -ignore 'specifying action "[$$]/' "$(CURDIR)"/.github/workflows/*.yml; \
	elif test -n "$$KUBEFLOW_AKS_REQUIRE_TOOLS"; then echo "error: the workflows are not checked: actionlint needs Go" >&2; exit 1; \
	else echo "workflows: not checked by actionlint, which needs Go" >&2; fi
endef

docs: $(VENV)/.dev $(PACKAGE_VENV)/.dev ## write what is generated: settings and policy reference, Pulumi.yaml's keys, the README's picture and outputs, notebooks
	@$(PY) -m settings.reference --write
	@$(PY) -m policy.reference --write
	@$(PY) -m preview.readme --write
	@$(PACKAGE_VENV)/bin/jupytext --quiet --update --to ipynb $(PACKAGE)/examples/pipelines/*.py

bench: $(VENV)/.dev ## run times side by side, as ratios; about 20 minutes, on a machine that does nothing else
	@$(PY) -m bench.start
	@$(PY) -m bench.program
	@$(PY) -m bench.cost
	@$(PY) -m bench.month
	@$(PY) -m tools
	@$(PY) -m bench.engine
	@$(PY) -m bench.scale
	@$(PY) -m bench.pull_request

demo: $(VENV)/.dev ## the whole promise on a local AKS, without Azure
	@$(RUN_LOCAL) demo -- "$$LOCAL_STACK"

demo-down: $(VENV)/.dev ## remove all the demo started
	@$(RUN_LOCAL) down

local-up: $(VENV)/.dev ## a local AKS of STACK to play with
	@$(RUN_LOCAL) up -- "$$LOCAL_STACK"

local-shell: $(VENV)/.dev ## a shell with kubectl, KUBECONFIG, az and pulumi
	@$(RUN_LOCAL) shell

local-down: demo-down ## same as demo-down

requirements: $(VENV)/.dev ## compile the lock files from pyproject.toml
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  pyproject.toml -o requirements.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  -c requirements.txt pyproject.toml --group dev -o requirements-dev.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  tests/policy/checkov/requirements.in -o tests/policy/checkov/requirements.txt
	@cd $(PACKAGE) && ../$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-header pyproject.toml --group dev -o requirements-dev.txt
	@cd $(PACKAGE) && for sdk in katib training; do ../$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --group $$sdk -o requirements-$$sdk.txt || exit 1; done

# What runs is known by notes in build/<stack>/local, so it is stopped before they go.
clean: ## stop what runs and remove what was built here
	@! ls -d build/*/local >/dev/null 2>&1 || $(PY) -m local_aks --build build down
	@! ls -d build/*/local >/dev/null 2>&1 || { echo "error: nothing else is removed" >&2; exit 1; }
	rm -rf build $(VENV) $(PACKAGE_VENV)

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; PYTHON=python3.12 make … picks another one." >&2; exit 1; }
	@echo "Setting up $(VENV) (once, about a minute) …" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt | $(PY)
	@$(PY) -m pip install -q --no-compile --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

# uv takes a second for what pip unpacks in half a minute; pip comes in where uv does not reach the package index.
INSTALL := -q --require-hashes -r
define install
	@$(UV) pip install --python $(1)/bin/python $(INSTALL) $(2) 2>/dev/null \
	  || $(1)/bin/python -m pip install --no-compile --disable-pip-version-check $(INSTALL) $(2)
endef

$(UV): requirements-dev.txt | $(PY)
	@sed -n '/^uv==/,/[^\\]$$/p' $< | $(PY) -m pip install --disable-pip-version-check $(INSTALL) /dev/stdin
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(UV)
	$(call install,$(VENV),$<)
	@$(PY) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e $(PACKAGE)
	@touch $@ $(VENV)/.runtime

$(PACKAGE_VENV)/.dev: $(PACKAGE)/requirements-dev.txt $(PACKAGE)/pyproject.toml $(UV)
	@echo "Setting up $(PACKAGE_VENV) (once, about a minute) …" >&2
	@test -e $(PACKAGE_VENV) || $(PY) -m venv $(PACKAGE_VENV)
	$(call install,$(PACKAGE_VENV),$<)
	@$(PACKAGE_VENV)/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e $(PACKAGE)
	@touch $@
