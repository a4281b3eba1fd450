"""What answers for Azure shares no code with what plans for it, so that it can't share its mistakes."""

import subprocess
import sys


def test_the_stand_ins_and_the_simulation_know_nothing_of_planning() -> None:
    """Only `kubeflow_aks.demo` runs the program, to show its plan."""
    program = (
        "import sys, kubeflow_aks.local_aks.lifecycle.daemon, kubeflow_aks.local_aks.engine;"
        "planning = ('program', 'components', 'kubeflow_aks.preview');"
        "print(sorted(name for name in sys.modules if name.startswith(planning)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
