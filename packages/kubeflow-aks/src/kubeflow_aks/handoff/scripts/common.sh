# shellcheck shell=bash
# What bootstrap.sh and teardown.sh share. They set `here`, the folder of these files.

# shellcheck source=/dev/null
. "${here:?}/names.sh"

# They would lead Juju and Terraform's provider to another controller.
unset JUJU_CONTROLLER JUJU_MODEL JUJU_CONTROLLER_ADDRESSES
unset JUJU_USERNAME JUJU_PASSWORD JUJU_CA_CERT JUJU_CLIENT_ID JUJU_CLIENT_SECRET
# Seen from the Terraform root: which workspace is selected is this stack's own, whoever else works in the root meanwhile.
export TF_DATA_DIR=.terraform/$CLOUD
unset TF_WORKSPACE
# Juju takes every context of a kubeconfig for a cloud of its own; in this one none is called like the cluster.
export KUBECONFIG=$here/kubeconfig

MODEL=kubeflow
# The charm that gives pods of a namespace a default pool; also the key of the label that namespaces need for it.
# shellcheck disable=SC2034
AFFINITY=namespace-node-affinity
LOGS=$here/logs
YES=
WAIT_MINUTES=${WAIT_MINUTES:-60}
POLL_SECONDS=${POLL_SECONDS:-15}
QUESTION_SECONDS=${QUESTION_SECONDS:-60}
GOING_SECONDS=${GOING_SECONDS:-300}

say() { printf '%s\n' "$*"; }

# Ends the script: its exit code, what is wrong, then a line for each thing to do.
stop_with() {
  local code=$1
  printf 'error: %s\n' "$2" >&2
  shift 2
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit "$code"
}
stop() { stop_with 1 "$@"; }
usage_error() { stop_with 2 "$1 is not an option" "see: $0 --help"; }
# A question that failed is no answer: nothing is concluded from it.
unknown() { stop_with 3 "$@"; }

need() {
  command -v "$1" >/dev/null 2>&1 || stop "$1 is not there" "$2"
}

# One run of the two scripts at a time. Programs that they start keep the lock as well, and it ends with the last of them.
only_run() {
  need python3 "install it: sudo apt install python3"
  mkdir -p "$LOGS"
  exec 9>"$LOGS/lock"
  python3 -I -S -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null ||
    stop "another bootstrap.sh or teardown.sh of $STACK is running; wait for it"
}

# A signal goes to the program that runs, once, which then cleans up; after its end the script ends as well.
CHILD=
INTERRUPTED=
BOOTSTRAPPING=
on_signal() {
  INTERRUPTED=yes
  if [ -n "$CHILD" ]; then kill -s TERM "$CHILD" 2>/dev/null || true; else give_up; fi
}
give_up() {
  if [ -n "$BOOTSTRAPPING" ]; then note_left_behind; fi
  stop_with 130 "interrupted; what is done stays done" "run $0 again: it goes on from here"
}
trap on_signal INT TERM HUP

# Runs a program by run.py, whose options come first; standard input is the caller's. It runs in the background, because a
# shell reacts to a signal only while it waits.
run() {
  local code
  exec 8<&0
  python3 -I -S "$here/run.py" "$@" <&8 8<&- &
  CHILD=$!
  exec 8<&-
  while :; do # a signal ends `wait` before the program has ended
    code=0
    wait "$CHILD" || code=$?
    kill -0 "$CHILD" 2>/dev/null || break
  done
  CHILD=
  if [ -n "$INTERRUPTED" ] || [ "$code" -eq 130 ]; then give_up; fi
  return "$code"
}

# Runs a command that may take long, shows what it prints and keeps it in a log; its exit code is the command's own.
logged() {
  local name=$1
  shift
  run --log "$LOGS/$name.log" "$name" -- "$@"
}

# The same for one that takes a second, and has nothing to clean up.
logged_at_once() {
  local log=$LOGS/$1.log code=0
  shift
  "$@" >"$log" 2>&1 </dev/null || code=$?
  cat "$log"
  return "$code"
}

# Asks a controller something, at most for $QUESTION_SECONDS; the answer is in a file of that name.
question() {
  local name=$1
  shift
  run --quiet --limit "$QUESTION_SECONDS" --log "$LOGS/$name.log" "juju $1" -- "$JUJU" "$@" \
    >"$LOGS/$name.json" </dev/null
}
# Has a controller change something, at most for as long.
change() {
  local name=$1
  shift
  run --limit "$QUESTION_SECONDS" --log "$LOGS/$name.log" "juju $1" -- "$JUJU" "$@" </dev/null
}
read_answer() { python3 -I -S "$here/juju_answers.py" "$@"; }
# The last line of a log: why a program failed.
reason() {
  local line
  line=$(tail -n 1 "$LOGS/$1.log")
  say "${line:-no answer in time}"
}

# The snap's client may read no file outside of a home folder; the program inside it may.
find_juju() {
  JUJU=${JUJU:-/snap/juju/current/bin/juju}
  if [ ! -x "$JUJU" ]; then JUJU=juju; fi
  need "$JUJU" "install it: sudo snap install juju --channel=$JUJU_CHANNEL"
  local series=${AGENT_VERSION%.*} version patch
  version=$("$JUJU" version 2>"$LOGS/version.log" </dev/null) || unknown "\`juju version\` failed: $(reason version)"
  case $version in
    "$series".[0-9]*) ;;
    *) stop "Juju $version is here; Charmed Kubeflow $RELEASE is deployed with Juju $series" \
      "get it: sudo snap refresh juju --channel=$JUJU_CHANNEL" ;;
  esac
  patch=${version#"$series".}
  patch=${patch%%[!0-9]*}
  [ "$patch" -ge "${AGENT_VERSION##*.}" ] ||
    stop "Juju $version is here; it is older than $AGENT_VERSION, which the controller gets for its security fixes" \
      "get a newer one: sudo snap refresh juju --channel=$JUJU_CHANNEL"
}

# shellcheck disable=SC2034
find_terraform() {
  TERRAFORM=$(command -v tofu || command -v terraform || true)
}

# What Juju keeps on this machine. None of these questions goes to a controller; `juju show-controller` would.
# CONTROLLER_ADDRESS is empty until a bootstrap is through, after which Juju never loses it.
# shellcheck disable=SC2034
look_at_this_machine() {
  local records
  local_answer clouds --client
  local_answer credentials --client
  local_answer controllers
  records=$(read_answer local "$CLOUD" "$CONTROLLER" "$LOGS/clouds.json" "$LOGS/credentials.json" \
    "$LOGS/controllers.json") || unknown "Juju printed no JSON: see $LOGS/clouds.json, credentials.json, controllers.json"
  {
    read -r KNOWN_CLOUD
    read -r KNOWN_CREDENTIAL
    read -r CONTROLLER_ID
    read -r CONTROLLER_ADDRESS
  } <<<"$records" || true # the last lines may be empty, which `read` takes for an end
}
local_answer() {
  "$JUJU" "$@" --format json >"$LOGS/$1.json" 2>"$LOGS/$1.log" </dev/null ||
    unknown "\`juju $1\` failed: $(reason "$1")"
}

kube() { kubectl --request-timeout=20s "$@"; }

# Sets PHASE, the state of a namespace (Active, Terminating, or empty where there is none), its id NAMESPACE_ID, and OWNER,
# the id of the controller that made it.
namespace() {
  local state
  state=$(kube get namespace "$1" --ignore-not-found \
    --output 'jsonpath={.status.phase} {.metadata.uid} {.metadata.annotations.controller\.juju\.is/id}' \
    2>"$LOGS/kubectl.log") || unknown "the cluster does not answer: $(reason kubectl)"
  read -r PHASE NAMESPACE_ID OWNER <<<"$state" || true
}

# The same, after a namespace that is being removed is gone.
settled_namespace() {
  namespace "$1"
  [ "$PHASE" = Terminating ] || return 0
  say "namespace $1: is being removed; waiting for it, at most $((GOING_SECONDS / 60)) min"
  kubectl wait --for=delete "namespace/$1" --timeout="${GOING_SECONDS}s" >"$LOGS/kubectl.log" 2>&1 || true
  namespace "$1"
  [ "$PHASE" != Terminating ] || stop "the namespace $1 is still being removed" \
    "what it waits for: kubectl --kubeconfig $here/kubeconfig get namespace $1 --output yaml" "then run $0 again"
}

check_cluster() {
  need kubectl "install it: sudo snap install kubectl --classic"
  if ! kube get --raw /version >"$LOGS/kubectl.log" 2>&1; then
    if grep -Eiq 'unauthorized|provide credentials|forbidden|token (has|is) expired' "$LOGS/kubectl.log"; then
      unknown "the cluster does not accept Juju's token" \
        "run \`pulumi up --stack $STACK\` and \`./kubeflow-aks handoff $STACK\` again, which writes the token anew"
    fi
    if grep -Eiq 'x509|certificate' "$LOGS/kubectl.log"; then
      unknown "the cluster has another certificate than the hand-off: $(reason kubectl)" \
        "run \`pulumi up --refresh --stack $STACK\`, then \`./kubeflow-aks handoff $STACK\` again"
    fi
    unknown "the cluster can't be reached: $(reason kubectl)" \
      "stopped? \`./kubeflow-aks start $STACK\`" \
      "private? go where its network reaches: docs/how-to/private-cluster-and-entra.md" \
      "only some addresses may? add yours to apiAccess.authorizedIpRanges" \
      "created again since? \`./kubeflow-aks handoff $STACK\` writes its new address"
  fi
}

# Juju can end without a record of its own and leave the namespace that it made (packages/kubeflow-aks/tests/local/handoff). There was none
# before it began, so the one after it is its own.
LEFT_BEHIND=$LOGS/left-behind
note_left_behind() {
  kube get namespace "controller-$CONTROLLER" --ignore-not-found --output 'jsonpath={.metadata.uid}' \
    >"$LEFT_BEHIND" 2>/dev/null || true
}

# Whose controller the cluster has. Sets CONTROLLER_PHASE, and OURS where a bootstrap of this machine left it without a
# record; ends the script where it is not this machine's.
# shellcheck disable=SC2034
check_controller() {
  settled_namespace "controller-$CONTROLLER"
  CONTROLLER_PHASE=$PHASE
  OURS=
  [ -n "$PHASE" ] || return 0
  if [ -z "$CONTROLLER_ID" ] && [ "$NAMESPACE_ID" = "$(cat "$LEFT_BEHIND" 2>/dev/null)" ]; then
    OURS=yes
    return
  fi
  if [ -z "$CONTROLLER_ID" ]; then
    kube get statefulset controller -n "controller-$CONTROLLER" --ignore-not-found \
      --output 'jsonpath={.status.readyReplicas}' >"$LOGS/replicas.log" 2>"$LOGS/kubectl.log" ||
      unknown "the cluster does not answer: $(reason kubectl)"
    if grep -q '^[1-9]' "$LOGS/replicas.log"; then
      stop "the cluster has a controller $CONTROLLER that this machine's Juju does not know" \
        "have the colleague who made it let you in: juju add-user, then juju register"
    fi
    stop "the cluster has a namespace controller-$CONTROLLER in which no controller runs" \
      "a colleague's bootstrap may be at work: ask, and wait" \
      "left by one that was cut off? kubectl --kubeconfig $here/kubeconfig delete namespace controller-$CONTROLLER" \
      "then run $0 again"
  fi
  [ "$OWNER" = "$CONTROLLER_ID" ] || stop \
    "this machine's Juju knows another controller $CONTROLLER than the cluster has: it is of an earlier cluster" \
    "forget it: juju unregister $CONTROLLER --no-prompt" \
    "then have the colleague who made the new one let you in: juju add-user, then juju register"
}

# Sets MODELS, the controller's; ends the script where it does not answer.
# shellcheck disable=SC2034
ask_for_models() {
  if ! question models models --controller "$CONTROLLER" --all --format json ||
    ! MODELS=$(read_answer models "$LOGS/models.json"); then
    hint "$LOGS/models.log"
    unknown "the controller $CONTROLLER does not answer: $(reason models)" \
      "does it run? kubectl --kubeconfig $here/kubeconfig get pods,events -n controller-$CONTROLLER" \
      "is its address, $CONTROLLER_ADDRESS, reached from here?" "then run $0 again"
  fi
}
# Puts what the model reports into status.json.
ask_for_status() {
  question status status --model "$CONTROLLER:$MODEL" --format json ||
    unknown "the model $MODEL does not answer: $(reason status)" "then run $0 again"
}
has_model() { grep -Fxq -- "$MODEL" <<<"$MODELS"; }

# Prints who set the key of kubeflow.argoRetries in Argo's ConfigMap: nobody, or `pulumi up`.
argo_retries() {
  kube get configmap argo-workflow-controller-configmap -n "$MODEL" --ignore-not-found --show-managed-fields \
    --output 'jsonpath={.metadata.managedFields[?(@.manager=="kubeflow-aks")].manager}' 2>"$LOGS/kubectl.log"
}

# A hint for each failure that others have met, where the text of a file shows it. Terraform wraps its messages, so a
# pattern is of words that stay together.
HINTS=
hint_for() {
  local file=$1 pattern=$2 line
  shift 2
  case $HINTS in *"|$1"*) return ;; esac
  if grep -Eiq -- "$pattern" "$file"; then
    HINTS="$HINTS|$1"
    for line; do printf '  known: %s\n' "$line" >&2; done
  fi
}
hint() {
  hint_for "$1" 'toomanyrequests|429 too many|pull rate limit' \
    "Docker Hub answers no more requests from the cluster's address for now; it goes on by itself within 6 hours," \
    "sooner with images from a registry of your own or a Docker Hub account (canonical/bundle-kubeflow#1274)"
  hint_for "$1" 'too many open files|no space left on device.*inotify|inotify' \
    "a node has too few inotify instances: kubeflow.inotify raises them; \`./kubeflow-aks verify $STACK\` reads what nodes have"
  hint_for "$1" '(controller|model)\.juju\.is/id:|not valid must' \
    "an earlier apply stopped half-way: the namespace $MODEL is of a model that Terraform does not know. Remove both:" \
    "juju destroy-model $CONTROLLER:$MODEL --destroy-storage --force" \
    "kubectl --kubeconfig $here/kubeconfig delete namespace $MODEL"
  hint_for "$1" 'namespace called' \
    "Juju makes its namespaces itself and refuses one that is there: see what is in it, then delete it"
  hint_for "$1" 'controller "[^"]*" already exists' \
    "an earlier bootstrap left the name on this machine: juju unregister $CONTROLLER --no-prompt"
  hint_for "$1" 'a controller called "[^"]*" already exists' \
    "the namespace controller-$CONTROLLER came meanwhile, such as by a colleague's bootstrap: keep the name and run $0 again," \
    "which finds whose it is"
  hint_for "$1" 'unbound immediate PersistentVolumeClaims|failed to provision volume|ProvisioningFailed' \
    "a volume can't be made: see \`kubectl get events -n $MODEL\`, quota of disks and the class $STORAGE_CLASS"
  hint_for "$1" 'Insufficient (cpu|memory)|Too many pods' \
    "the pool general has no room: raise its maxCount in Pulumi.$STACK.yaml and run \`pulumi up --stack $STACK\`"
  hint_for "$1" 'x509|certificate signed by unknown authority' \
    "the cluster has another certificate than the hand-off knows: run \`pulumi up --refresh --stack $STACK\`, then" \
    "\`./kubeflow-aks handoff $STACK\` again"
  hint_for "$1" 'token (has|is) expired|(^|[^a-z])unauthorized|the server has asked for the client to provide credentials' \
    "the cluster does not accept Juju's token: run \`pulumi up --stack $STACK\` and \`./kubeflow-aks handoff $STACK\` again"
}

# What the cluster says about pods that do not start.
look() {
  {
    kube get events -n "$MODEL" --field-selector type=Warning --no-headers
    kube get pods -n "$MODEL" --no-headers | awk '$3 == "CrashLoopBackOff" { print $1 }' | head -n 5 |
      while read -r pod; do kube logs -n "$MODEL" "$pod" --all-containers --previous --tail 30 </dev/null; done
  } >"$LOGS/events.log" 2>&1 || true
  hint "$LOGS/events.log"
}

wait_for_charms() {
  local round=0 line
  while :; do
    question status status --model "$CONTROLLER:$MODEL" --format json || true
    if line=$(read_answer status "$LOGS/status.json"); then
      say "$line"
      return
    fi
    say "$((SECONDS / 60)) min: $line"
    if [ $((round % 8)) -eq 7 ]; then look; fi
    round=$((round + 1))
    if [ "$SECONDS" -ge $((WAIT_MINUTES * 60)) ]; then
      look
      stop "not everything works after $WAIT_MINUTES minutes" \
        "what the charms report: juju status --model $CONTROLLER:$MODEL" \
        "what the cluster reports: $LOGS/events.log" "run $0 again to wait on"
    fi
    sleep "$POLL_SECONDS"
  done
}

# Asks for a yes, unless --yes gave it.
confirm() {
  if [ -n "$YES" ]; then return; fi
  local reply=
  printf '%s [y/N] ' "$1" >&2
  read -r reply || true
  case $reply in
    y | Y | yes) ;;
    *) stop "not confirmed; $2" "--yes confirms without a question" ;;
  esac
}
