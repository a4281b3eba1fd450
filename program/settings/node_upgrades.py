"""Settings of the upgrades of an on-demand pool's nodes."""

from pydantic import field_validator

from components.pools.pool_specs import UpgradeSpec
from program.settings._model import settings_of


class NodeUpgrade(settings_of(UpgradeSpec)):
    """How AKS upgrades the nodes of an on-demand pool."""

    @field_validator("max_surge", "max_unavailable", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        """AKS takes text, and YAML makes a number of `2`."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
