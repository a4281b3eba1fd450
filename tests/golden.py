"""What a record holds, as a snapshot that a reader can compare line by line."""

from typing import Any

from kubeflow_aks.recorder.run import Record


def short(urn: str) -> str:
    """Types and name of a URN, and the provider's without its id."""
    return "::".join(urn.split("::")[2:4])


def golden(recording: Record) -> dict[str, Any]:
    """What a record holds, in an order that does not hang on timing.

    Versions of the SDKs are left out, so that an upgrade shows only what it changes.
    """
    resources: dict[str, Any] = {}
    for resource in sorted(recording.resources.values(), key=lambda resource: resource.urn):
        options = {key: value for key, value in resource.options.items() if key != "version"}
        for key in ("provider", "deletedWith"):
            if key in options:
                options[key] = short(options[key])
        resources[short(resource.urn)] = {
            "inputs": resource.inputs,
            "secretInputs": sorted(resource.secret_inputs),
            "options": options,
            "parent": short(resource.parent),
            "dependsOn": sorted(map(short, resource.depends_on)),
        }
    return {
        "resources": resources,
        "outputs": recording.outputs,
        "secretOutputs": sorted(recording.secret_outputs),
    }
