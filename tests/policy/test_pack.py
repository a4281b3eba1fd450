"""The policy pack as a file that another repository copies."""

import os
import shutil
import subprocess
from pathlib import Path

from recorder.run import PROJECT_ROOT


def test_without_the_packages_it_needs_it_says_so_in_one_line(tmp_path: Path) -> None:
    shutil.copytree(PROJECT_ROOT / "policy", tmp_path / "policy")
    bare = tmp_path / "bin" / "python3"
    bare.parent.mkdir()
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o700)
    path = f"{bare.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [tmp_path / "policy" / "pack"], env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"policy/pack: {bare} lacks pulumi or pyyaml; install them there or in {tmp_path}/.venv\n"
    )
