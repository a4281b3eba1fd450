#!/usr/bin/env bash
# Brings a deployed Charmed Kubeflow to the stack's release, charm by charm in Canonical's order. A charm that has its channel
# and revision is left alone, so that after whatever stopped it, running it again goes on from there.
set -euo pipefail
umask 077
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"

usage() {
  cat <<USAGE
refresh.sh [--yes]
  \`juju refresh\` of each charm of the model $MODEL that is behind Charmed Kubeflow $RELEASE, and the wait until all works.
  --yes  refresh without a question
From the environment:
  JUJU              Juju's client
  WAIT_MINUTES      how long to wait for the charms (default 60)
  QUESTION_SECONDS  how long a controller may take to answer (default 60)
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

only_run
[ -f "$here/charms.json" ] || stop "the charms of Charmed Kubeflow $RELEASE are not in the catalogue" \
  "write a newer kubeflow.release into Pulumi.$STACK.yaml, \`pulumi up --stack $STACK\`, \`./kubeflow-aks handoff $STACK\`"
find_juju
check_cluster
look_at_this_machine
check_controller
[ -n "$CONTROLLER_ID" ] || stop "this machine's Juju knows no controller $CONTROLLER" \
  "have the colleague who made it let you in: juju add-user, then juju register"
ask_for_models
has_model || stop "the controller $CONTROLLER has no model $MODEL; there is nothing to refresh" "deploy it: $here/bootstrap.sh"
ask_for_status
behind=$(read_answer refreshes "$LOGS/status.json" "$here/charms.json") ||
  unknown "the model $MODEL does not answer: $(reason status)" "then run $0 again"
if grep -Eq '^istio-pilot [^ ]+ 1\.(1[0-9]|2[0-7])/' <<<"$behind"; then
  stop "Istio is older than 1.28: going there in one step is not for charms that are refreshed" \
    "first follow Canonical's page, as for Charmed Kubeflow 1.10: Upgrade, Istio from 1.24 to 1.28" "then run $0 again"
fi
if [ -z "$behind" ]; then
  say "model $MODEL: no charm is behind Charmed Kubeflow $RELEASE"
else
  say "These are behind Charmed Kubeflow $RELEASE, in the order in which they are refreshed:"
  while read -r application channel before; do say "  $application: $before to $channel"; done <<<"$behind"
  say "There is no way back: Canonical describes none. What pipelines stored stays in its volumes; back them up first."
  confirm "refresh these $(grep -c . <<<"$behind") applications?" "nothing was refreshed"
  while read -r application channel before <&7; do
    logged refresh "$JUJU" refresh --model "$CONTROLLER:$MODEL" "$application" --channel "$channel" </dev/null ||
      stop "the application $application could not be refreshed" "all it printed is in $LOGS/refresh.log" \
        "then run $0 again; it goes on from here"
  done 7<<<"$behind"
fi
if grep -q '^kubeflow-trainer .* 2\.0/' <<<"$behind"; then
  say "Trainer 2.0 to 2.1: where its unit reports \`agent lost\`, remove by hand what blocks it:"
  say "  kubectl --kubeconfig $here/kubeconfig delete deployment -n $MODEL kubeflow-trainer"
  say "  kubectl --kubeconfig $here/kubeconfig delete pod -n $MODEL kubeflow-trainer-0"
fi
SECONDS=0
wait_for_charms
say "Charmed Kubeflow $RELEASE is there. Next: ./kubeflow-aks verify $STACK --juju-status $LOGS/status.json"
