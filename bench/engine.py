"""Preview on the real engine: our program against the same resources written one after the other in one flat file.

Both previews are of a deployed stack that nothing changes. The flat file is generated from what our program deployed:
one statement for each resource, with literal values, the same options and dependencies, and none of our settings,
planning and components. Its state is ours with the components taken out, so that both previews find all unchanged.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import tools
from bench import flat
from localaks.azure import server as azure_native
from localaks.azure.state import AzureState
from localaks.control_plane import ControlPlane
from localaks.engine import Engine
from localaks.kubernetes import server as kubernetes
from localaks.local_aks import PROJECT_ROOT
from localaks.run_directory import RunDirectory
from recorder.run import record

STACK: Final = "demo"
REPEATS: Final = 7
TARGET: Final = 1.10
"""Issue #4: most that components and planning may cost."""
