#!/usr/bin/env bash
# Deploys Charmed Kubeflow into a cluster that is ready for it. Every step first looks whether it is done, so that after
# whatever stopped it, running it again goes on from there.
set -euo pipefail
umask 077
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"

CONTROLLER_ONLY=
DEPLOY=${DEPLOY:-$PROJECT/deploy/$ROOT}
CONTROLLER_SERVICE_TYPE=${CONTROLLER_SERVICE_TYPE:-}
AFFINITY_CHANNEL=2.2/stable

usage() {
  cat <<USAGE
bootstrap.sh [--yes] [--controller-only]
  Juju's cloud, credential and controller, Charmed Kubeflow $RELEASE by Terraform, and the wait until all of it works.
  --yes              ask nothing: neither before Terraform applies, nor before what a bootstrap that was cut off
                     left is removed
  --controller-only  stop when the controller is there, and say what comes next
From the environment:
  TF_VAR_dex_static_username, TF_VAR_dex_static_password
                     who may sign in to the dashboard first; set both, empty where dex_connectors lets people in
  CONTROLLER_SERVICE_TYPE
                     how Juju's controller is reached: loadbalancer, a public address, which is Juju's choice on AKS;
                     or cluster, through the API server. Required for a private cluster
  DEPLOY             folder of the Terraform root (default $DEPLOY)
  JUJU               Juju's client
  WAIT_MINUTES       how long to wait for the charms (default 60)
  QUESTION_SECONDS   how long a controller may take to answer (default 60)
Exit codes: 0 done; 1 stopped, with the reason; 2 usage; 3 the cluster or Juju did not answer; 130 interrupted
USAGE
}

for word; do
  case $word in
    --yes) YES=yes ;;
    --controller-only) CONTROLLER_ONLY=yes ;;
    -h | --help) usage; exit ;;
    *) usage_error "$word" ;;
  esac
done

failed() {
  local log=$LOGS/$1.log
  if [ -n "$BOOTSTRAPPING" ]; then note_left_behind; fi
  hint "$log"
  stop "$2" "all it printed is in $log" "then run $0 again; it goes on from here"
}

check_tools() {
  only_run
  find_juju
  find_terraform
  if [ -z "$CONTROLLER_ONLY" ]; then
    [ -n "$TERRAFORM" ] || stop "neither tofu nor terraform is there" \
      "install OpenTofu: sudo snap install opentofu --classic" \
      "or let somebody else apply: $0 --controller-only"
    [ -f "$DEPLOY/versions.tf" ] || stop "$DEPLOY has no Terraform root" \
      "name the folder deploy/$ROOT of the project: DEPLOY=… $0"
    if [ -z "${TF_VAR_dex_static_username+set}" ] || [ -z "${TF_VAR_dex_static_password+set}" ]; then
      stop "nobody could sign in to the dashboard: TF_VAR_dex_static_username and TF_VAR_dex_static_password are not set" \
        "export both, the same at every run; empty where dex_connectors lets people in"
    fi
  fi
  check_cluster
}

add_cloud() {
  if [ -n "$KNOWN_CLOUD" ]; then
    say "cloud $CLOUD: Juju knows it; its address and certificate are brought up to date"
    logged_at_once update-cloud "$JUJU" update-k8s "$CLOUD" --client -f "$here/clouds.yaml" ||
      failed update-cloud "Juju does not accept the cloud $CLOUD"
  elif logged_at_once add-cloud "$JUJU" add-cloud "$CLOUD" --client --file "$here/clouds.yaml"; then
    say "cloud $CLOUD: added"
  else
    say "cloud $CLOUD: Juju accepts it from no file; it is read from the kubeconfig instead"
    logged add-k8s "$JUJU" add-k8s "$CLOUD" --client --storage "$STORAGE_CLASS" --region "$REGION" </dev/null ||
      failed add-k8s "Juju does not accept the cloud $CLOUD"
    KNOWN_CREDENTIAL=made # by the same command
  fi
}

add_credential() {
  if [ -n "$KNOWN_CREDENTIAL" ]; then
    logged_at_once credential "$JUJU" update-credential "$CLOUD" "$CLOUD" --client -f "$here/credentials.yaml" ||
      failed credential "Juju does not accept the credential"
  else
    logged_at_once credential "$JUJU" add-credential "$CLOUD" --client -f "$here/credentials.yaml" ||
      failed credential "Juju does not accept the credential"
  fi
}

# A bootstrap that was cut off leaves a controller without an address, which Juju itself can neither use nor remove.
remove_half_made() {
  if [ -n "$CONTROLLER_PHASE" ]; then
    confirm "remove the namespace controller-$CONTROLLER, which a bootstrap of this machine that was cut off left?" \
      "nothing was removed"
    kube delete namespace "controller-$CONTROLLER" --wait=false >"$LOGS/kubectl.log" 2>&1 ||
      unknown "the namespace could not be removed: $(reason kubectl)"
    settled_namespace "controller-$CONTROLLER"
    CONTROLLER_PHASE=$PHASE
  fi
  say "controller $CONTROLLER: a bootstrap was cut off; what it left is gone"
  [ -n "$CONTROLLER_ID" ] || return 0
  logged_at_once unregister "$JUJU" unregister "$CONTROLLER" --no-prompt ||
    failed unregister "Juju does not forget the controller"
  CONTROLLER_ID=
}

bootstrap() {
  check_controller
  if [ -n "$OURS" ] || { [ -n "$CONTROLLER_ID" ] && [ -z "$CONTROLLER_ADDRESS" ]; }; then remove_half_made; fi
  if [ -n "$CONTROLLER_ID" ]; then
    [ -n "$CONTROLLER_PHASE" ] ||
      stop "Juju knows a controller $CONTROLLER, and the cluster has none: it is of an earlier cluster" \
        "forget it: juju unregister $CONTROLLER --no-prompt" "then run $0 again"
    ask_for_models
    say "controller $CONTROLLER: is there"
    # It has a copy of the credential, and its models sign in by that.
    change controller-credential update-credential "$CLOUD" "$CLOUD" --controller "$CONTROLLER" \
      -f "$here/credentials.yaml" ||
      failed controller-credential "the controller does not accept the credential, with which its models sign in"
    return
  fi
  if [ -n "$PRIVATE" ] && [ -z "$CONTROLLER_SERVICE_TYPE" ]; then
    stop "the cluster is private, and Juju would give its controller a public address; choose one:" \
      "CONTROLLER_SERVICE_TYPE=cluster: no address outside. juju goes through the API server; Terraform can't, so that" \
      "  it has to run where it reaches the address of the Service in the namespace controller-$CONTROLLER" \
      "CONTROLLER_SERVICE_TYPE=loadbalancer: the public address, with Juju's own sign-in before it"
  fi
  say "controller $CONTROLLER: about 5 minutes"
  BOOTSTRAPPING=yes
  logged bootstrap "$JUJU" bootstrap "$CLOUD" "$CONTROLLER" --credential "$CLOUD" --agent-version "$AGENT_VERSION" \
    --no-switch --config caas-image-repo=public.ecr.aws/juju \
    ${CONTROLLER_SERVICE_TYPE:+--config "controller-service-type=$CONTROLLER_SERVICE_TYPE"} </dev/null ||
    failed bootstrap "the controller could not be made"
  BOOTSTRAPPING=
  look_at_this_machine
  [ -n "$CONTROLLER_ADDRESS" ] || failed bootstrap "Juju made the controller and knows no address of it"
}

# Terraform makes the model, so that the two never disagree about who has it.
check_model() {
  ask_for_models
  settled_namespace "$MODEL"
  if has_model; then
    [ -n "$PHASE" ] || stop "Juju has a model $MODEL, and the cluster has no such namespace" \
      "remove the model: juju destroy-model $CONTROLLER:$MODEL --destroy-storage --force" "then run $0 again"
    say "model $MODEL: is there"
    check_release
  elif [ -n "$PHASE" ]; then
    stop "the namespace $MODEL exists, and Juju has no such model; it never takes one over" \
      "see what is in it: kubectl --kubeconfig $here/kubeconfig get all -n $MODEL" \
      "left by an apply that was cut off? kubectl --kubeconfig $here/kubeconfig delete namespace $MODEL" \
      "then run $0 again"
  fi
}

# Terraform would bring charms back to its own release, or put the applications of another layout beside those there.
# Sets REFRESHED for a model of the layout before that was refreshed to this release: Terraform has no part in it.
REFRESHED=
check_release() {
  local answer others
  ask_for_status
  answer=$(read_answer release "$LOGS/status.json" "$here/charms.json") ||
    unknown "the model $MODEL does not answer: $(reason status)" "then run $0 again"
  {
    read -r REFRESHED
    read -r others
  } <<<"$answer" || true
  [ "$ROOT" = products-kubeflow ] || REFRESHED=
  [ -z "$others" ] || stop "the model $MODEL has other charms than Charmed Kubeflow $RELEASE: $others" \
    "bring them to it: $here/refresh.sh, see docs/how-to/refresh-charmed-kubeflow.md" \
    "or keep what is there: write its release into kubeflow.release of Pulumi.$STACK.yaml, \`pulumi up\`, hand off again"
}

deploy() {
  local before
  if [ -n "$REFRESHED" ]; then
    say "model $MODEL: deployed by modules/kubeflow and refreshed to $RELEASE since; Terraform has no part in it"
    return
  fi
  before=$(dirname "$DEPLOY")/terraform.tfstate.d
  if [ "$ROOT" = modules-kubeflow ] && [ -d "$before/$STACK" ]; then
    stop "Terraform's state of $STACK is in $before, where the root was before" \
      "move it: mkdir -p $DEPLOY/terraform.tfstate.d && mv $before/$STACK $DEPLOY/terraform.tfstate.d/" \
      "then run $0 again"
  fi
  say "Charmed Kubeflow $RELEASE: Terraform takes about 5 minutes, the charms 20 to 30 more"
  export TF_IN_AUTOMATION=1
  # Terraform's provider deploys into the controller that `juju show-controller` shows: this one, whichever is current
  # (juju/terraform-provider-juju v0.23.3 and v1.5.6, internal/juju/utils.go).
  export JUJU_CONTROLLER=$CONTROLLER
  logged init "$TERRAFORM" -chdir="$DEPLOY" init -input=false </dev/null || failed init "Terraform could not be set up"
  logged_at_once workspace "$TERRAFORM" -chdir="$DEPLOY" workspace select -or-create "$STACK" ||
    failed workspace "Terraform has no state of its own for $STACK"
  logged apply "$TERRAFORM" -chdir="$DEPLOY" apply ${YES:+-auto-approve} -var-file="$here/$TFVARS" ||
    failed apply "Terraform stopped half-way"
}

# The charm that gives the pods of a profile's namespace a default pool, where the hand-off has its settings.
add_default_pools() {
  local settings=$here/default-pools.yaml answer namespace
  [ -n "$DEFAULT_POOL_NAMESPACES" ] || return 0
  ask_for_status
  answer=$(read_answer applications "$LOGS/status.json") ||
    unknown "the model $MODEL does not answer: $(reason status)" "then run $0 again"
  if grep -Fxq -- "$AFFINITY" <<<"$answer"; then
    say "charm $AFFINITY: is there; its settings are brought up to date"
    change affinity config --model "$CONTROLLER:$MODEL" "$AFFINITY" "settings_yaml=@$settings" ||
      failed affinity "the charm $AFFINITY does not accept its settings"
  else
    say "charm $AFFINITY: added to the model $MODEL"
    change affinity deploy "$AFFINITY" --model "$CONTROLLER:$MODEL" --channel "$AFFINITY_CHANNEL" --trust \
      --config "settings_yaml=@$settings" || failed affinity "the charm $AFFINITY could not be deployed"
  fi
  if ! question config config --model "$CONTROLLER:$MODEL" "$AFFINITY" --format json ||
    ! answer=$(read_answer setting "$LOGS/config.json" settings_yaml); then
    unknown "the charm $AFFINITY does not show its settings: $(reason config)" "then run $0 again"
  fi
  [ "$answer" = "$(cat "$settings")" ] || failed affinity "the charm $AFFINITY has other settings than $settings"
  for namespace in $DEFAULT_POOL_NAMESPACES; do label_namespace "$namespace"; done
}

# Where the profile does not exist yet, its charm may set the label, from revision 839.
label_namespace() {
  namespace "$1"
  if [ -z "$PHASE" ]; then
    say "namespace $1: does not exist yet; run $0 again when its profile does"
    return
  fi
  kube label namespace "$1" "$AFFINITY=enabled" --overwrite >"$LOGS/kubectl.log" 2>&1 ||
    unknown "the namespace $1 could not be labelled: $(reason kubectl)" "then run $0 again"
  say "namespace $1: new pods get their default pool"
}

say_next() {
  say "The controller $CONTROLLER is there. Charmed Kubeflow comes next:"
  say "  export JUJU_CONTROLLER=$CONTROLLER"
  if [ -z "$TFVARS" ]; then
    say "  juju add-model $MODEL"
    say "  juju deploy kubeflow --trust --channel $RELEASE/stable"
    say "  juju config istio-ingressgateway annotations=$ANNOTATIONS"
  else
    say "  export TF_DATA_DIR=$TF_DATA_DIR"
    say "  export TF_VAR_dex_static_username TF_VAR_dex_static_password"
    say "  tofu -chdir=$DEPLOY init"
    say "  tofu -chdir=$DEPLOY workspace select -or-create $STACK"
    say "  tofu -chdir=$DEPLOY apply -var-file=$here/$TFVARS"
  fi
  if [ -n "$DEFAULT_POOL_NAMESPACES" ]; then
    say "  juju deploy $AFFINITY --model $MODEL --channel $AFFINITY_CHANNEL --trust" \
      "--config settings_yaml=@$here/default-pools.yaml"
    say "  kubectl label namespace $DEFAULT_POOL_NAMESPACES $AFFINITY=enabled"
  fi
}

if [ -z "$TFVARS" ]; then CONTROLLER_ONLY=yes; fi
check_tools
look_at_this_machine
add_cloud
add_credential
bootstrap
if [ -n "$CONTROLLER_ONLY" ]; then
  say_next
  exit
fi
check_model
deploy
add_default_pools
SECONDS=0
wait_for_charms
say "Charmed Kubeflow $RELEASE is there: $DASHBOARD"
say "Next:"
say "  juju switch $CONTROLLER"
say "  ./kubeflow-aks verify $STACK --juju-status $LOGS/status.json"
if ! retries=$(argo_retries) || [ -z "$retries" ]; then
  say "  write argoRetries: true into kubeflow-aks:kubeflow of Pulumi.$STACK.yaml and run \`pulumi up --stack $STACK\`:"
  say "  until then a pipeline's step whose pod vanishes is lost in spite of its retries"
fi
