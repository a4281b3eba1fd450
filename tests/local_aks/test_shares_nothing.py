"""What answers for Azure shares no code with what plans for it, so that it can't share its mistakes."""

import subprocess
import sys


def test_the_stand_ins_and_the_simulation_know_nothing_of_planning() -> None:
    """Only what asks the program for its plan, to show it, comes near it: `local_aks.demo`."""
    program = (
        "import sys, local_aks.lifecycle.daemon, local_aks.engine;"
        "print({'planning', 'components', 'settings', 'preview'} & {name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
