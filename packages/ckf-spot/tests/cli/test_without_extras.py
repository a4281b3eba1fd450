"""PyYAML alone is enough to place what is a dict or YAML."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

from program import POOLS

EXTRAS = ("jsonschema", "kfp", "kubeflow", "kubernetes", "kubernetes_validate", "pydantic", "referencing")
WITHOUT = f"""
import sys
for name in {EXTRAS!r}:
    sys.modules[name] = None  # importing it fails
from ckf_spot import cli
from ckf_spot.pods import strict_schema
strict_schema.available = lambda: False
sys.exit(cli.main(sys.argv[1:]))
"""


def test_the_program_places_a_job(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/training/tfjob.yaml"
    arguments = ["place", "-f", str(example), "--pool", "cpu", "--pools", str(POOLS)]
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert yaml.safe_load(ran.stdout)["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] == "ExitCode"


def test_an_object_of_an_sdk_that_is_not_known_is_refused_by_name() -> None:
    code = "from ckf_spot import Pools; Pools.load()['cpu'].place(object())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"CKF_SPOT_POOLS": str(POOLS)},
    )
    assert "'object' is no Kubernetes object; expected a dict, or an object of kubernetes" in ran.stderr
