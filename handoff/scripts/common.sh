# shellcheck shell=bash
# What bootstrap.sh and teardown.sh share. They set `here`, the folder of these files.

# shellcheck source=/dev/null
. "${here:?}/names.sh"

# They would send Juju and Terraform's provider, which asks it, to another controller.
unset JUJU_CONTROLLER JUJU_MODEL

MODEL=kubeflow
LOGS=$here/logs
YES=

say() { printf '%s\n' "$*"; }

# Ends the script: what is wrong, then a line for each thing to do.
stop() {
  printf 'error: %s\n' "$1" >&2
  shift
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit 1
}

need() {
  command -v "$1" >/dev/null 2>&1 || stop "$1 is not there" "$2"
}

# The snap's client may read no file outside of a home folder; the program inside it may.
find_juju() {
  JUJU=${JUJU:-/snap/juju/current/bin/juju}
  if [ ! -x "$JUJU" ]; then JUJU=juju; fi
  need "$JUJU" "install it: sudo snap install juju --channel=$JUJU_CHANNEL"
  local series=${JUJU_CHANNEL%%/*} version
  version=$("$JUJU" version </dev/null) || stop "\`juju version\` failed"
  case $version in
    "$series".*) ;;
    *) stop "Juju $version is here; Charmed Kubeflow $RELEASE is deployed with Juju $series" \
      "get it: sudo snap refresh juju --channel=$JUJU_CHANNEL" ;;
  esac
}

# shellcheck disable=SC2034
find_terraform() {
  TERRAFORM=$(command -v tofu || command -v terraform || true)
}

kube() { kubectl --kubeconfig "$here/kubeconfig" --request-timeout=20s "$@"; }

# The state of a namespace: Active, Terminating, or nothing where there is none.
namespace_phase() {
  kube get namespace "$1" --ignore-not-found --output 'jsonpath={.status.phase}' 2>"$LOGS/kubectl.log" ||
    stop "the cluster does not answer: $(tail -n 1 "$LOGS/kubectl.log")"
}

check_cluster() {
  need kubectl "install it: sudo snap install kubectl --classic"
  if ! kube get --raw /version >"$LOGS/kubectl.log" 2>&1; then
    if grep -Eiq 'unauthorized|provide credentials|forbidden' "$LOGS/kubectl.log"; then
      stop "the cluster does not take Juju's token" \
        "run \`pulumi up --stack $STACK\` and \`make handoff STACK=$STACK\` again, which writes the token anew"
    fi
    stop "the cluster can't be reached: $(tail -n 1 "$LOGS/kubectl.log")" \
      "stopped? \`make start STACK=$STACK\`" \
      "private? go where its network reaches: docs/how-to/private-cluster-and-entra.md" \
      "only some addresses may? add yours to apiAccess.authorizedIpRanges" \
      "gone for good? \`juju unregister $CONTROLLER\` and \`juju remove-cloud $CLOUD --client\` forget it"
  fi
}

# Runs a command, shows what it says and keeps it; its end is the command's own.
logged() {
  local log=$LOGS/$1.log
  shift
  "$@" 2>&1 | tee "$log"
}

ask() {
  if [ -n "$YES" ]; then return; fi
  local answer=
  printf '%s [y/N] ' "$1" >&2
  read -r answer || true
  case $answer in
    y | Y | yes) ;;
    *) stop "stopped as you said; what is done stays done" ;;
  esac
}

knows_controller() { "$JUJU" show-controller "$CONTROLLER" >/dev/null 2>&1 </dev/null; }
knows_model() { "$JUJU" show-model "$CONTROLLER:$MODEL" >/dev/null 2>&1 </dev/null; }
