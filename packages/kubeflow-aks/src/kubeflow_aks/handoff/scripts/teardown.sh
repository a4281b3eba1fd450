#!/usr/bin/env bash
# Takes Charmed Kubeflow out of the cluster, in the order that leaves nothing behind: the model with its volumes, the
# controller, what this machine's Juju knows. The cluster itself stays. It can be run again whenever it stopped.
set -euo pipefail
umask 077
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
DEPLOY=${DEPLOY:-$PROJECT/deploy/$ROOT}

usage() {
  cat <<USAGE
teardown.sh [--yes]
  Looks at the cluster, names all that will go, and asks once before anything does.
  --yes  do not ask
From the environment: DEPLOY, JUJU and QUESTION_SECONDS, as bootstrap.sh has them.
Exit codes: 0 done; 1 stopped, with the reason; 2 usage; 3 the cluster or Juju did not answer; 130 interrupted
USAGE
}

for word; do
  case $word in
    --yes) YES=yes ;;
    -h | --help) usage; exit ;;
    *) usage_error "$word" ;;
  esac
done

# `pulumi up` would look for the ConfigMap of a charm that is gone, and find no namespace either.
second_stage() {
  local managers
  managers=$(argo_retries) || unknown "the cluster does not answer: $(reason kubectl)"
  if [ -n "$managers" ]; then
    stop "kubeflow.argoRetries is on: its key is in a ConfigMap that goes with the model" \
      "take argoRetries out of Pulumi.$STACK.yaml, run \`pulumi up --stack $STACK\`, then $0 again"
  fi
}

# What the cluster has decides: MODELS is empty only where there is no controller, or where it listed its models.
look_at_the_model() {
  MODELS=
  check_controller
  HALF_MADE=$OURS
  settled_namespace "$MODEL"
  if [ -n "$CONTROLLER_ID" ] && [ -n "$CONTROLLER_PHASE" ]; then
    if [ -n "$CONTROLLER_ADDRESS" ]; then
      ask_for_models
    else
      HALF_MADE=yes
    fi
  fi
  if [ -n "$PHASE" ] && ! has_model; then
    stop "the namespace $MODEL exists, and no controller here has such a model" \
      "whose is it? kubectl --kubeconfig $here/kubeconfig get namespace $MODEL --output yaml" \
      "nothing was removed"
  fi
}

# Whether Terraform keeps a state of this stack here.
look_at_terraform() {
  local workspaces
  WORKSPACE=
  find_terraform
  if [ -z "$TERRAFORM" ]; then return; fi
  if [ ! -d "$DEPLOY/$TF_DATA_DIR" ] && [ ! -d "$DEPLOY/terraform.tfstate.d/$STACK" ]; then return; fi
  workspaces=$("$TERRAFORM" -chdir="$DEPLOY" workspace list 2>"$LOGS/workspace.log" </dev/null) ||
    unknown "Terraform does not list its workspaces: $(reason workspace)"
  if grep -Eq "^[* ] $STACK\$" <<<"$workspaces"; then WORKSPACE=yes; fi
}

name_all() {
  local volumes
  say "This goes from stack $STACK:"
  if has_model; then
    volumes=$(kube get persistentvolumeclaims -n "$MODEL" --no-headers 2>"$LOGS/kubectl.log") ||
      unknown "the cluster does not answer: $(reason kubectl)"
    say "  model $MODEL with its $(grep -c . <<<"$volumes" || true) volumes: pipelines, artifacts in MinIO, experiments"
  fi
  if [ -n "$DEFAULT_POOL_NAMESPACES" ]; then say "  the default pools of namespaces: $DEFAULT_POOL_NAMESPACES"; fi
  if [ -n "$WORKSPACE" ]; then say "  Terraform's workspace $STACK in $DEPLOY, with its state"; fi
  if [ -n "$HALF_MADE" ]; then
    say "  namespace controller-$CONTROLLER, left by a bootstrap of this machine that was cut off"
  elif [ -n "$CONTROLLER_PHASE" ]; then
    say "  controller $CONTROLLER"
  elif [ -n "$CONTROLLER_ID" ]; then
    say "  what this machine's Juju knows of a controller $CONTROLLER, which the cluster no longer has"
  fi
  if [ -n "$KNOWN_CLOUD$KNOWN_CREDENTIAL" ]; then say "  the cloud $CLOUD and its credential in this machine's Juju"; fi
}

destroy_model() {
  has_model || return 0
  logged destroy-model "$JUJU" destroy-model "$CONTROLLER:$MODEL" --destroy-storage --no-prompt </dev/null ||
    stop "the model could not be destroyed" "all it printed is in $LOGS/destroy-model.log" \
      "see what it waits for: juju status --model $CONTROLLER:$MODEL" "then run $0 again" \
      "a charm that is stuck in an error: juju remove-application --force --model $CONTROLLER:$MODEL NAME"
  settled_namespace "$MODEL"
  [ -z "$PHASE" ] || stop "Juju destroyed the model, and its namespace $MODEL is still there" "run $0 again"
}

# The charm of the default pools goes with the model. These are outside of it; the charm removes its webhook as well,
# unless it is stuck.
forget_default_pools() {
  local namespace
  [ -n "$DEFAULT_POOL_NAMESPACES" ] || return 0
  kube delete mutatingwebhookconfiguration "$AFFINITY-pod-webhook" --ignore-not-found >"$LOGS/kubectl.log" 2>&1 ||
    unknown "the webhook $AFFINITY-pod-webhook could not be removed: $(reason kubectl)" "then run $0 again"
  for namespace in $DEFAULT_POOL_NAMESPACES; do
    namespace "$namespace"
    if [ "$PHASE" != Active ]; then continue; fi
    kube label namespace "$namespace" "$AFFINITY-" >"$LOGS/kubectl.log" 2>&1 ||
      unknown "the namespace $namespace keeps its label $AFFINITY: $(reason kubectl)" "then run $0 again"
  done
}

# What Terraform remembers of a model that is gone would stop the next deployment.
forget_state() {
  if [ -z "$WORKSPACE" ]; then
    say "Terraform has no state of $STACK here; elsewhere, \`workspace delete -force $STACK\` removes it"
    return
  fi
  if ! logged_at_once workspace "$TERRAFORM" -chdir="$DEPLOY" workspace select default ||
    ! logged_at_once workspace "$TERRAFORM" -chdir="$DEPLOY" workspace delete -force "$STACK"; then
    stop "Terraform keeps its state of $STACK" "all it printed is in $LOGS/workspace.log" "then run $0 again"
  fi
  rm -rf "${DEPLOY:?}/$TF_DATA_DIR"
}

destroy_controller() {
  if [ -n "$HALF_MADE" ]; then
    kube delete namespace "controller-$CONTROLLER" --wait=false >"$LOGS/kubectl.log" 2>&1 ||
      unknown "the namespace could not be removed: $(reason kubectl)"
    settled_namespace "controller-$CONTROLLER"
  elif [ -n "$CONTROLLER_PHASE" ]; then
    logged destroy-controller "$JUJU" destroy-controller "$CONTROLLER" --no-prompt </dev/null ||
      stop "the controller could not be destroyed" "all it printed is in $LOGS/destroy-controller.log" \
        "other models in it? destroy each first; \`juju models --controller $CONTROLLER\` lists them" "then run $0 again"
    return
  fi
  if [ -n "$CONTROLLER_ID" ]; then
    logged_at_once unregister "$JUJU" unregister "$CONTROLLER" --no-prompt ||
      stop "Juju does not forget the controller $CONTROLLER" "all it printed is in $LOGS/unregister.log"
  fi
}

forget_cloud() {
  if [ -n "$KNOWN_CREDENTIAL" ]; then
    logged_at_once remove-credential "$JUJU" remove-credential "$CLOUD" "$CLOUD" --client ||
      stop "Juju keeps the credential, a secret" "all it printed is in $LOGS/remove-credential.log"
  fi
  if [ -n "$KNOWN_CLOUD" ]; then
    logged_at_once remove-cloud "$JUJU" remove-cloud "$CLOUD" --client ||
      stop "Juju keeps the cloud" "all it printed is in $LOGS/remove-cloud.log"
  fi
}

only_run
find_juju
check_cluster
look_at_this_machine
second_stage
look_at_the_model
look_at_terraform
if [ -n "$PHASE$WORKSPACE$HALF_MADE$CONTROLLER_ID$KNOWN_CLOUD$KNOWN_CREDENTIAL" ]; then
  name_all
  confirm "remove all of this?" "nothing was removed"
  destroy_model
  forget_default_pools
  forget_state
  destroy_controller
  forget_cloud
fi
say "Charmed Kubeflow is gone; the cluster is as it was before. To let the cluster go as well, in the project's folder:"
say "  pulumi config set --stack $STACK protect false"
say "  pulumi up --stack $STACK"
say "  pulumi destroy --stack $STACK"
say "Then remove this folder, which holds a token: $here"
