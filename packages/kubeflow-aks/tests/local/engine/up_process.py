"""`up` of a stack in a process of its own, as its arguments say: `python up_process.py JSON`."""

import json
import sys
from pathlib import Path

from kubeflow_aks import tools
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT

if __name__ == "__main__":
    stack = json.loads(sys.argv[1])
    built = tools.find()
    assert isinstance(built, tools.Tools), built
    run = RunDirectory.at(Path(stack["run"]))
    Engine(run, built, stack["providers"], PROJECT_ROOT, stack["stack"], stack["settings"]).up()
