"""The simulated cluster autoscaler: the published rules of cluster-autoscaler 1.34 as pure decisions.

The real one can't be built from the registries (docs/facts/engine.md#what-can-be-built), so this one decides instead,
and is held against
a recording of the real one's decisions (`cluster-autoscaler-recording.json`). It never places a pod: the real
scheduler does. Not simulated: `balance-similar-node-groups`, pod (anti-)affinity, topology spread and volumes in
the fit of a pod, and ProvisioningRequests.
"""
