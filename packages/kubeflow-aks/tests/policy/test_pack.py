"""The policy pack of a checkout that has no environment yet."""

import subprocess
from pathlib import Path

from kubeflow_aks.project import PROJECT_ROOT


def test_without_an_environment_it_says_so_in_one_line(tmp_path: Path) -> None:
    pack = tmp_path / "packages" / "kubeflow-aks" / "policy-pack"
    pack.parent.mkdir(parents=True)
    pack.write_bytes((PROJECT_ROOT / "packages/kubeflow-aks/policy-pack").read_bytes())
    pack.chmod(0o700)
    done = subprocess.run([pack], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"packages/kubeflow-aks/policy-pack: {tmp_path}/.venv is missing; run {tmp_path}/kubeflow-aks set-up runtime\n"
    )
