"""An experiment, and trials, as objects of Katib's SDK; run where that is installed."""
# pyright: reportMissingImports=false

import json
import sys
from typing import Any

from kubeflow.katib import (
    KatibClient,
    V1beta1AlgorithmSpec,
    V1beta1Experiment,
    V1beta1ExperimentSpec,
    V1beta1FeasibleSpace,
    V1beta1ObjectiveSpec,
    V1beta1ParameterSpec,
    V1beta1TrialParameterSpec,
    V1beta1TrialTemplate,
)
from kubernetes import client

from ckf_spot import Pools
from ckf_spot.kinds.serialise import plain

job = client.V1Job(
    api_version="batch/v1",
    kind="Job",
    spec=client.V1JobSpec(
        template=client.V1PodTemplateSpec(
            spec=client.V1PodSpec(
                restart_policy="Never",
                containers=[client.V1Container(name="main", image="i", command=["${trialParameters.rate}"])],
            )
        )
    ),
)
experiment = V1beta1Experiment(
    api_version="kubeflow.org/v1beta1",
    kind="Experiment",
    metadata=client.V1ObjectMeta(name="tune"),
    spec=V1beta1ExperimentSpec(
        max_trial_count=3,
        objective=V1beta1ObjectiveSpec(type="maximize", objective_metric_name="accuracy"),
        algorithm=V1beta1AlgorithmSpec(algorithm_name="random"),
        parameters=[
            V1beta1ParameterSpec(
                name="rate",
                parameter_type="double",
                feasible_space=V1beta1FeasibleSpace(min="0.1", max="0.5"),
            )
        ],
        trial_template=V1beta1TrialTemplate(
            primary_container_name="main",
            trial_parameters=[V1beta1TrialParameterSpec(name="rate", reference="rate")],
            trial_spec=job,
        ),
    ),
)
placed = Pools.sample()["cpu"].place(experiment)


class Server:
    """An API server that only keeps what is sent."""

    sent: Any = None

    def create_namespaced_custom_object(self, *arguments: Any) -> Any:
        """Keeps it."""
        self.sent = list(arguments)
        return arguments[-1]


katib = KatibClient.__new__(KatibClient)  # without a kubeconfig
katib.namespace, katib.custom_api = "default", Server()
katib.create_experiment(placed, namespace="team-a")
json.dump({"plain": plain(experiment), "placed": placed, "sent": katib.custom_api.sent}, sys.stdout)
