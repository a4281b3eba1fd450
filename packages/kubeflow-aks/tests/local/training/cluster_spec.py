"""What TensorFlow makes of the TF_CONFIG that the training operator writes: `tf_config.json` in this folder.

TensorFlow takes 1.3 GB, so its answers are recorded. Where it is installed, a test compares them, and
`python tests/local/training/cluster_spec.py` writes them again for the file's TF_CONFIGs: last tensorflow-cpu 2.18.0.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

RECORDING: Final = Path(__file__).with_name("tf_config.json")


def recorded() -> list[dict[str, Any]]:
    """Each TFJob: `roles` and their replicas, whether its workers are `dynamic`, and its `pods`.

    A pod has its TF_CONFIG as `config`, None where it got none, and TensorFlow's `answer`.
    """
    return json.loads(RECORDING.read_text(encoding="utf-8"))


def answer(config: dict[str, Any] | None) -> dict[str, Any] | str:
    """What TensorFlow makes of a TF_CONFIG.

    Returns:
        How many tasks of each role it knows, if it finds the task's own address among them; otherwise its output.
    """
    tensorflow: Any = import_module("tensorflow")  # which is seldom there
    os.environ["TF_CONFIG"] = json.dumps(config or {})
    try:
        resolver = tensorflow.distribute.cluster_resolver.TFConfigClusterResolver()
        spec = resolver.cluster_spec()
        if config:
            spec.task_address(resolver.task_type, resolver.task_id)
        return {role: spec.num_tasks(role) for role in spec.jobs}
    except (TypeError, ValueError) as error:
        return str(error)


if __name__ == "__main__":
    jobs = recorded()
    for job in jobs:
        for pod in job["pods"].values():
            pod["answer"] = answer(pod["config"])
    RECORDING.write_text(json.dumps(jobs, indent=1) + "\n", encoding="utf-8")
