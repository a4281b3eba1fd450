"""Pulumi components for a cluster that runs Charmed Kubeflow, one for each noun.

They need nothing else of this repository, and read no configuration. Import each from its module, for instance
`from components.agent_pools import AgentPools`; this file imports none, so that `components.conventions` and
`components.kubeconfig` load without the SDKs.
"""
