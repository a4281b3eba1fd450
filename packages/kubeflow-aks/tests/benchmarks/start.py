"""Wall time of `make preview`, beside importing the SDK modules that it loads and nothing else."""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Final

REPEATS: Final = 7
_SDKS: Final = ("pulumi", "pulumi_azure_native", "pulumi_kubernetes")
_LIST: Final = """
import sys
from kubeflow_aks.recorder.run import record

record("dev", preview=True)
print(*sys.modules)
"""
# The time that Python takes to free the modules at its end is not the import's.
_IMPORT: Final = "import os, sys\nfor name in sys.argv[1:]: __import__(name)\nos._exit(0)"


def main() -> None:
    """Prints the ratio of the medians."""
    loaded = subprocess.run([sys.executable, "-c", _LIST], capture_output=True, text=True, check=True)
    modules = [name for name in loaded.stdout.split() if name.split(".")[0] in _SDKS]
    imports = [sys.executable, "-c", _IMPORT, *modules]
    pairs = [(_seconds(["make", "preview"]), _seconds(imports)) for _ in range(REPEATS)]
    preview, alone = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"make preview ÷ importing its {len(modules)} SDK modules: {preview / alone:.2f}")


def _seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
