"""Releases of SDKs, installed for a test and kept: environments of lock files, and packages to put before theirs."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = Path(__file__).parents[2]
UV: Final = FOLDER.parents[1] / ".venv/bin/uv"
WHEELS: Final = {
    "kfp==2.16.1": "d90742de35d1fee871240ddf619b29f5c25103f522eddaf97d2b24cb2483d3ba",
    "kfp==2.17.0": "dff321b76b2be8a09748a1be805a88699b4919e13bb6a1bf67ebf3074ea8ce3f",
    "kfp-kubernetes==2.16.1": "d6bb854d93a6bc6893f70e9e4f4978d6133760ae62d8626be8a4360993cc9375",
    "kfp-kubernetes==2.17.0": "822e3c59aa09a678f4f5fff392065f93495e18ffcd6cbd43ac62d8bffc0d82b8",
    "kubeflow==0.1.0": "8dd2f3a9e2848435c5d2f14932f0bde63c07d88f21e814a4b12b778236ab275e",
    "kubeflow==0.2.0": "69b6ec2fd800a5bc8f3e5766e6bc103b1726a94bb21ac2671271d8444458fc68",
    "kubeflow==0.2.1": "1bbe9c9d1269fa829373f8f622684e690844965bb88cfa04f0b42cbf9a190d2a",
    "kubeflow==0.3.0": "066d1acea230a89f6ea08686c6408c07fe70c506fff6c0d13dbab8cfdf30febe",
    "kubeflow==0.3.1": "92220380207bee32ed8ab7b1db6c4aa4468911b580d35e865218be24c482f1d9",
    "kubeflow==0.4.0": "9ca69870a30ecaa289a2dbb0c58ab29abe91a5f141adf22d28469ef9a0285d9c",
    "kubeflow==0.4.1": "9f176bba37b56b69b21696c809610dacffb6693926983f8462e8efc68216e22d",
    "kubeflow-trainer-api==2.1.0": "1afc28bf395cf349a8c10fb94f4b4301afb22c1ba7e14a0efd1dbcf82bc73661",
    "kubeflow-trainer-api==2.2.1": "7d73a4b4dac4cf931a82e6fe47b999599efe6e482ba144e49bddbf6f82f1c6af",
    "kubeflow-training==1.9.1": "e94c156be9d8c29985391f033e39679cade7fcb558bd05fff7f261baacf0c792",
    "kubeflow-training==1.9.2": "f99dd637d915f686331597f1c983ee133f61e69fa470c179d9d041912e82834d",
    "kubeflow-training==1.9.3": "f13634679b506119eb514164179a98b1963d8a59ba1c491eb43631b32d65576a",
    "kubeflow-training==1.9.4": "8e97dea4ed0970845e49277e0fc048ee135226dd8c66691498153ed451092b2b",
    "kubeflow-katib==0.18.0": "18bc6f087907a7337438fe1af4cb0858dbb4ca011491ffa8e5bacb5bf48482ba",
}
"""Hashes of packages that are put before an environment's."""


def environment(name: str, config: pytest.Config) -> Path:
    """The Python of an environment with what is listed in the lock file of that name: `katib` or `training`."""
    folder = config.cache.mkdir(f"sdk-{name}")
    with _installing():
        _uv("venv", "--allow-existing", "--python", sys.executable, str(folder))
        _uv(
            "pip",
            "sync",
            "--python",
            str(folder / "bin/python"),
            "--require-hashes",
            f"requirements-{name}.txt",
        )
    return folder / "bin/python"


def packages(config: pytest.Config, *requirements: str) -> str:
    """A folder for PYTHONPATH with these packages of `WHEELS`, without what they require."""
    folder = config.cache.mkdir("sdk-" + "-".join(name.replace("==", "-") for name in requirements))
    listed = folder / "requirements.txt"
    hashes = (f"{name} --hash=sha256:{WHEELS[name]}\n" for name in requirements)
    listed.write_text("".join(hashes), encoding="utf-8")
    with _installing():
        _uv("pip", "install", "--no-deps", "--require-hashes", "--target", str(folder), "-r", str(listed))
    return str(folder)


def output(python: Path, script: str, *folders: str, **variables: str) -> str:
    """What a script of this folder prints where these folders come before the environment's packages."""
    path = os.pathsep.join([*folders, str(FOLDER / "src")])
    ran = subprocess.run(
        [python, "-W", "ignore", Path(__file__).with_name(script)],
        env={"PYTHONPATH": path, **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    return ran.stdout


@contextmanager
def _installing() -> Generator[None]:
    """Skips the test where no package can be downloaded; in CI it fails."""
    try:
        yield
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS"):
            raise
        pytest.skip(f"the SDK can't be installed here: {error}")


def _uv(*arguments: str) -> None:
    subprocess.run([UV, *arguments], cwd=FOLDER, check=True, capture_output=True, timeout=300)
