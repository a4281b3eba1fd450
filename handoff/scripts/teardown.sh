#!/usr/bin/env bash
# Takes Charmed Kubeflow out of the cluster, in the order that leaves nothing behind: the model with its volumes, the
# controller, what this machine's Juju knows. The cluster itself stays. It can be run again whenever it stopped.
set -euo pipefail
umask 077
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
mkdir -p "$LOGS"
DEPLOY=${DEPLOY:-$PROJECT/deploy}
ARGO=argo-workflow-controller-configmap

for word; do
  case $word in
    --yes) YES=yes ;;
    -h | --help) say "teardown.sh [--yes]"; say "  --yes  ask nothing"; exit ;;
    *) stop "$word is no option" "see: $0 --help" ;;
  esac
done

# `pulumi up` would look for the ConfigMap of a charm that is gone, and find no namespace either.
second_stage() {
  local set_by_us
  set_by_us=$(kube get configmap "$ARGO" -n "$MODEL" --ignore-not-found --show-managed-fields \
    --output 'jsonpath={.metadata.managedFields[?(@.manager=="kubeflow-aks")].manager}' 2>"$LOGS/kubectl.log") || true
  if [ -n "$set_by_us" ]; then
    stop "kubeflow.argoRetries is on: its key is in a ConfigMap that goes with the model" \
      "take argoRetries out of Pulumi.$STACK.yaml, run \`pulumi up --stack $STACK\`, then $0 again"
  fi
}

destroy_model() {
  if knows_model; then
    say "model $MODEL: every volume of Charmed Kubeflow goes with it: pipelines, artifacts in MinIO, experiments"
    ask "destroy the model $MODEL of stack $STACK?"
    logged destroy-model "$JUJU" destroy-model "$CONTROLLER:$MODEL" --destroy-storage --no-prompt </dev/null ||
      stop "the model could not be destroyed" "all it said is in $LOGS/destroy-model.log" \
        "see what it waits for: juju status --model $CONTROLLER:$MODEL" "then run $0 again" \
        "a charm that is stuck in an error: juju remove-application --force --model $CONTROLLER:$MODEL NAME"
  else
    say "model $MODEL: Juju has none"
  fi
}

# What Terraform remembers of a model that is gone would stop the next deployment.
forget_state() {
  local known
  find_terraform
  if [ -z "$TERRAFORM" ] || [ ! -d "$DEPLOY/.terraform" ]; then
    say "Terraform's state of $STACK: not looked for here; where it is, \`workspace delete -force $STACK\`"
    return
  fi
  known=$("$TERRAFORM" -chdir="$DEPLOY" workspace list </dev/null)
  if grep -Eq "^[* ] $STACK\$" <<<"$known"; then
    "$TERRAFORM" -chdir="$DEPLOY" workspace select default >/dev/null </dev/null
    "$TERRAFORM" -chdir="$DEPLOY" workspace delete -force "$STACK" </dev/null
  fi
}

destroy_controller() {
  local phase
  if knows_controller; then
    ask "destroy the controller $CONTROLLER?"
    logged destroy-controller "$JUJU" destroy-controller "$CONTROLLER" --no-prompt </dev/null ||
      stop "the controller could not be destroyed" "all it said is in $LOGS/destroy-controller.log" \
        "other models in it? destroy each first; \`juju models --controller $CONTROLLER\` lists them" "then run $0 again"
  else
    say "controller $CONTROLLER: this machine's Juju knows none"
    phase=$(namespace_phase "controller-$CONTROLLER")
    [ -z "$phase" ] || stop "the cluster has one: whoever bootstrapped it has to run teardown.sh"
  fi
}

forget_cloud() {
  if "$JUJU" show-cloud "$CLOUD" --client >/dev/null 2>&1 </dev/null; then
    "$JUJU" remove-credential "$CLOUD" "$CLOUD" --client </dev/null || true
    "$JUJU" remove-cloud "$CLOUD" --client </dev/null
  fi
}

find_juju
check_cluster
second_stage
destroy_model
forget_state
destroy_controller
forget_cloud
say "Charmed Kubeflow is gone; the cluster is as it was before. To let the cluster go as well, in the project's folder:"
say "  pulumi config set --stack $STACK protect false"
say "  pulumi up --stack $STACK"
say "  pulumi destroy --stack $STACK"
say "Then remove this folder, which holds a token: $here"
