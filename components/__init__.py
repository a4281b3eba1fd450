"""Pulumi components for a cluster that runs Charmed Kubeflow, one for each noun.

They need nothing else of this repository, and read no configuration. The folder works under any name: here it is
`components`, installed it is `kubeflow_aks_components`. Import each component from its module, for instance
`from kubeflow_aks_components.pools.agent_pools import AgentPools`; this file imports none, so that `conventions` and
`kubeconfig` load without the SDKs.
"""
