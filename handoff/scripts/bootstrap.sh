#!/usr/bin/env bash
# Deploys Charmed Kubeflow into a cluster that is ready for it. Every step first looks whether it is done, so that after
# whatever stopped it, running it again goes on from there.
set -euo pipefail
umask 077
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
mkdir -p "$LOGS"

CONTROLLER_ONLY=
WAIT_MINUTES=${WAIT_MINUTES:-60}
POLL_SECONDS=${POLL_SECONDS:-15}
DEPLOY=${DEPLOY:-$PROJECT/deploy}
CONTROLLER_SERVICE_TYPE=${CONTROLLER_SERVICE_TYPE:-}

usage() {
  cat <<USAGE
bootstrap.sh [--yes] [--controller-only]
  Juju's cloud, credential and controller, Charmed Kubeflow $RELEASE by Terraform, and the wait until all of it works.
  --yes              Terraform does not ask before it applies
  --controller-only  stop when the controller is there, and say what comes next
From the environment:
  TF_VAR_dex_static_username, TF_VAR_dex_static_password
                     who may sign in to the dashboard first; set both, empty where dex_connectors lets people in
  CONTROLLER_SERVICE_TYPE
                     how Juju's controller is reached: loadbalancer, a public address, which is Juju's choice on AKS;
                     or cluster, through the API server. Has to be said for a private cluster
  DEPLOY             folder of the Terraform root (default $DEPLOY)
  JUJU               Juju's client
  WAIT_MINUTES       how long to wait for the charms (default 60)
USAGE
}

for word; do
  case $word in
    --yes) YES=yes ;;
    --controller-only) CONTROLLER_ONLY=yes ;;
    -h | --help) usage; exit ;;
    *) stop "$word is no option" "see: $0 --help" ;;
  esac
done

# A line for each failure that others have met, where the text of a file shows it. Terraform wraps what it says, so a
# pattern is of words that stay together.
explain() {
  known "$1" 'toomanyrequests|429 too many|pull rate limit' \
    "Docker Hub answers no more requests from the cluster's address for now; it goes on by itself within 6 hours," \
    "sooner with images from a registry of your own or a Docker Hub account (canonical/bundle-kubeflow#1274)"
  known "$1" 'too many open files|no space left on device.*inotify|inotify' \
    "a node has too few inotify instances: kubeflow.inotify raises them; \`make verify STACK=$STACK\` reads what nodes have"
  known "$1" '(controller|model)\.juju\.is/id:|not valid must' \
    "an earlier apply stopped half-way: the namespace $MODEL is of a model that Terraform does not know. Remove both:" \
    "juju destroy-model $CONTROLLER:$MODEL --destroy-storage --force" \
    "kubectl --kubeconfig $here/kubeconfig delete namespace $MODEL"
  known "$1" 'namespace called' \
    "Juju makes its namespaces itself and refuses one that is there: see what is in it, then delete it"
  known "$1" 'unbound immediate PersistentVolumeClaims|failed to provision volume|ProvisioningFailed' \
    "a volume can't be made: see \`kubectl get events -n $MODEL\`, quota of disks and the class $STORAGE_CLASS"
  known "$1" 'Insufficient (cpu|memory)|Too many pods' \
    "the pool general has no room: raise its maxCount in Pulumi.$STACK.yaml and run \`pulumi up --stack $STACK\`"
  known "$1" 'x509|certificate signed by unknown authority' \
    "the cluster has another certificate than the hand-off knows: run \`make handoff STACK=$STACK\` again"
}

TOLD=
known() {
  local file=$1 pattern=$2 line
  shift 2
  case $TOLD in *"|$1"*) return ;; esac
  if grep -Eiq -- "$pattern" "$file"; then
    TOLD="$TOLD|$1"
    for line; do printf '  known: %s\n' "$line" >&2; done
  fi
}

failed() {
  local log=$LOGS/$1.log
  explain "$log"
  stop "$2" "all it said is in $log" "then run $0 again; it goes on from here"
}

check_tools() {
  find_juju
  need python3 "install it: sudo apt install python3"
  find_terraform
  if [ -z "$CONTROLLER_ONLY" ]; then
    [ -n "$TERRAFORM" ] || stop "neither tofu nor terraform is there" \
      "install OpenTofu: sudo snap install opentofu --classic" \
      "or let somebody else apply: $0 --controller-only"
    [ -f "$DEPLOY/main.tf" ] || stop "$DEPLOY has no Terraform root" \
      "name the folder deploy/ of the project: DEPLOY=… $0"
    if [ -z "${TF_VAR_dex_static_username+set}" ] || [ -z "${TF_VAR_dex_static_password+set}" ]; then
      stop "nobody could sign in to the dashboard: TF_VAR_dex_static_username and TF_VAR_dex_static_password are not set" \
        "export both, the same at every run; empty where dex_connectors lets people in"
    fi
  fi
  check_cluster
}

add_cloud() {
  if "$JUJU" show-cloud "$CLOUD" --client >/dev/null 2>&1 </dev/null; then
    say "cloud $CLOUD: Juju knows it; its address and certificate are brought up to date"
    logged update-cloud "$JUJU" update-k8s "$CLOUD" --client -f "$here/clouds.yaml" </dev/null ||
      failed update-cloud "Juju does not take the cloud $CLOUD"
  elif logged add-cloud "$JUJU" add-cloud "$CLOUD" --client --file "$here/clouds.yaml" </dev/null; then
    say "cloud $CLOUD: added"
  else
    say "cloud $CLOUD: Juju takes it from no file; it is read from the kubeconfig instead"
    KUBECONFIG=$here/kubeconfig logged add-k8s "$JUJU" add-k8s "$CLOUD" --client \
      --storage "$STORAGE_CLASS" --region "$REGION" </dev/null || failed add-k8s "Juju does not take the cloud $CLOUD"
  fi
}

add_credential() {
  if "$JUJU" show-credential "$CLOUD" "$CLOUD" --client >/dev/null 2>&1 </dev/null; then
    logged credential "$JUJU" update-credential "$CLOUD" "$CLOUD" --client -f "$here/credentials.yaml" </dev/null ||
      failed credential "Juju does not take the credential"
  else
    logged credential "$JUJU" add-credential "$CLOUD" --client -f "$here/credentials.yaml" </dev/null ||
      failed credential "Juju does not take the credential"
  fi
}

bootstrap() {
  local phase
  phase=$(namespace_phase "controller-$CONTROLLER")
  if knows_controller; then
    [ -n "$phase" ] || stop "Juju knows a controller $CONTROLLER, and the cluster has none: it is of an earlier cluster" \
      "forget it: juju unregister $CONTROLLER" "then run $0 again"
    say "controller $CONTROLLER: is there"
    # It has a copy of the credential, and its models sign in by that.
    logged controller-credential "$JUJU" update-credential "$CLOUD" "$CLOUD" --controller "$CONTROLLER" \
      -f "$here/credentials.yaml" </dev/null || say "controller $CONTROLLER: keeps the credential that it has"
    return
  fi
  [ -z "$phase" ] || stop "the cluster has a namespace controller-$CONTROLLER ($phase) that this machine's Juju knows nothing of" \
    "a colleague's controller? have them let you in: juju add-user, then juju register" \
    "left by a bootstrap that was cut off? kubectl --kubeconfig $here/kubeconfig delete namespace controller-$CONTROLLER" \
    "then run $0 again"
  if [ -n "$PRIVATE" ] && [ -z "$CONTROLLER_SERVICE_TYPE" ]; then
    stop "the cluster is private, and Juju would give its controller a public address; say what you want:" \
      "CONTROLLER_SERVICE_TYPE=cluster: no address outside. juju goes through the API server; Terraform can't, so that" \
      "  it has to run where it reaches the address of the Service in the namespace controller-$CONTROLLER" \
      "CONTROLLER_SERVICE_TYPE=loadbalancer: the public address, with Juju's own sign-in before it"
  fi
  say "controller $CONTROLLER: about 5 minutes"
  logged bootstrap "$JUJU" bootstrap "$CLOUD" "$CONTROLLER" --credential "$CLOUD" --agent-version "$AGENT_VERSION" \
    --config caas-image-repo=public.ecr.aws/juju \
    ${CONTROLLER_SERVICE_TYPE:+--config "controller-service-type=$CONTROLLER_SERVICE_TYPE"} </dev/null ||
    failed bootstrap "the controller could not be made"
}

# Terraform makes the model, so that the two never disagree about who has it.
check_model() {
  local phase
  phase=$(namespace_phase "$MODEL")
  [ "$phase" != Terminating ] || stop "the namespace $MODEL is still being removed" "wait a few minutes, then run $0 again"
  if knows_model; then
    [ -n "$phase" ] || stop "Juju has a model $MODEL, and the cluster has no such namespace" \
      "remove the model: juju destroy-model $CONTROLLER:$MODEL --destroy-storage --force" "then run $0 again"
    say "model $MODEL: is there"
  elif [ -n "$phase" ]; then
    stop "the namespace $MODEL exists, and Juju has no such model; it takes over no namespace" \
      "see what is in it: kubectl --kubeconfig $here/kubeconfig get all -n $MODEL" \
      "left by an apply that was cut off? kubectl --kubeconfig $here/kubeconfig delete namespace $MODEL" \
      "then run $0 again"
  fi
}

deploy() {
  say "Charmed Kubeflow $RELEASE: Terraform takes about 5 minutes, the charms 20 to 30 more"
  export TF_IN_AUTOMATION=1
  # Terraform's provider deploys into the controller that `juju` has as its current one.
  logged switch "$JUJU" switch "$CONTROLLER" </dev/null || failed switch "Juju does not turn to $CONTROLLER"
  logged init "$TERRAFORM" -chdir="$DEPLOY" init -input=false </dev/null || failed init "Terraform could not be set up"
  logged workspace "$TERRAFORM" -chdir="$DEPLOY" workspace select -or-create "$STACK" </dev/null ||
    failed workspace "Terraform has no state of its own for $STACK"
  logged apply "$TERRAFORM" -chdir="$DEPLOY" apply ${YES:+-auto-approve} -var-file="$here/$TFVARS" ||
    failed apply "Terraform stopped half-way"
}

say_next() {
  say "The controller $CONTROLLER is there. Charmed Kubeflow comes next:"
  if [ -z "$TFVARS" ]; then
    say "  juju switch $CONTROLLER"
    say "  juju add-model $MODEL"
    say "  juju deploy kubeflow --trust --channel $RELEASE/stable"
    say "  juju config istio-ingressgateway annotations=$ANNOTATIONS"
  else
    say "  juju switch $CONTROLLER"
    say "  export TF_VAR_dex_static_username TF_VAR_dex_static_password"
    say "  tofu -chdir=$DEPLOY init"
    say "  tofu -chdir=$DEPLOY workspace select -or-create $STACK"
    say "  tofu -chdir=$DEPLOY apply -var-file=$here/$TFVARS"
  fi
}

# What the cluster says about pods that do not start.
look() {
  {
    kube get events -n "$MODEL" --field-selector type=Warning --no-headers
    kube get pods -n "$MODEL" --no-headers | awk '$3 == "CrashLoopBackOff" { print $1 }' | head -n 5 |
      while read -r pod; do kube logs -n "$MODEL" "$pod" --all-containers --previous --tail 30 </dev/null; done
  } >"$LOGS/events.log" 2>&1 || true
  explain "$LOGS/events.log"
}

wait_for_charms() {
  local round=0 line
  while :; do
    if line=$("$JUJU" status --model "$CONTROLLER:$MODEL" --format json 2>"$LOGS/status.log" </dev/null |
      python3 "$here/juju_status.py"); then
      say "$line"
      return
    fi
    say "$((SECONDS / 60)) min: $line"
    if [ $((round % 8)) -eq 7 ]; then look; fi
    round=$((round + 1))
    if [ "$SECONDS" -ge $((WAIT_MINUTES * 60)) ]; then
      look
      stop "not everything works after $WAIT_MINUTES minutes" \
        "what the charms say: juju status --model $CONTROLLER:$MODEL" \
        "what the cluster says: $LOGS/events.log" "run $0 again to wait on"
    fi
    sleep "$POLL_SECONDS"
  done
}

if [ -z "$TFVARS" ]; then CONTROLLER_ONLY=yes; fi
check_tools
add_cloud
add_credential
bootstrap
if [ -n "$CONTROLLER_ONLY" ]; then
  say_next
  exit
fi
check_model
deploy
SECONDS=0
wait_for_charms
say "Charmed Kubeflow $RELEASE is there: $DASHBOARD"
say "Next:"
say "  make verify STACK=$STACK"
say "  write argoRetries: true into kubeflow-aks:kubeflow of Pulumi.$STACK.yaml and run \`pulumi up --stack $STACK\`:"
say "  until then a pipeline's step whose pod vanishes is lost in spite of its retries"
