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
export STACK LOCAL_STACK PR_STACK BASE FORMAT OFFLINE ADVISE AGAINST OBSERVED
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
.PHONY: help preview quota policy cost stop start pr-preview test test-program test-local test-simulation test-package lint docs bench requirements demo demo-down local-up local-shell local-down clean

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

preview: $(VENV)/.runtime ## what `pulumi up` would create for STACK (default dev); needs no account and no CLI
	@$(PY) -m preview -- "$$STACK"

quota: $(VENV)/.runtime ## vCPU quota that STACK needs, beside what the subscription has where `az` is signed in
	@$(PY) -m preview.quota -- "$$STACK"

policy: $(VENV)/.runtime ## what became of each rule of policy for STACK, and what is accepted for which reason
	@$(PY) -m policy -- "$$STACK"

cost: $(VENV)/.dev ## what STACK is expected to cost a month, evictions included; FORMAT=markdown|json|svg, OFFLINE=1, OBSERVED=where.json
	@$(PY) -m cost $${FORMAT:+"--format=$$FORMAT"} $${OFFLINE:+--offline} $${OBSERVED:+"--observed=$$OBSERVED"} \
	  --build=$(BUILD) -- "$$STACK"

stop: $(VENV)/.runtime ## stop STACK's cluster on Azure: its objects stay, its nodes cost nothing; FORCE=1 for a protected one
	@$(PY) -m delivery.power stop $${FORCE:+--force} -- "$$STACK"

start: $(VENV)/.runtime ## start STACK's cluster again
	@$(PY) -m delivery.power start -- "$$STACK"
