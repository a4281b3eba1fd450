"""Planning runs without an engine."""

import subprocess
import sys


def test_planning_settings_and_catalogue_never_import_pulumi() -> None:
    imports = "import sys; import aks_facts; from program import planning, settings"
    program = f"{imports}; print([name for name in sys.modules if 'pulumi' in name])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
