"""What `kubeflow-aks local down` does: removes every local AKS of a project."""

import sys

from kubeflow_aks.demo.place import Place
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.local_aks.lifecycle.teardown import remove
from kubeflow_aks.local_aks.run.directory import AlreadyInUseError, RunDirectory
from kubeflow_aks.ownership import NotOurFolderError


def down(place: Place) -> ExitCode:
    """Removes every local AKS, also one that was left half-started; one in use stays."""
    left = 0
    for folder in sorted(place.build.glob("*/local")):
        try:
            run = RunDirectory.existing(folder)
            with run.lock():
                remove(run)
        except NotOurFolderError as error:
            print(error)
        except AlreadyInUseError as error:
            print(f"error: {error}: stop it first", file=sys.stderr)
            left += 1
        except OSError as error:
            print(f"error: {folder} can't be removed: {_reason(error)}", file=sys.stderr)
            left += 1
        else:
            print(f"removed {folder}")
    return ExitCode.FINDING if left else ExitCode.GOOD


def _reason(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason
