"""The hours in which a stack runs; outside them the cluster is stopped."""

from components.arguments.choices import Weekday
from program.settings._model import SettingsModel, setting

_TIME = {"pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]$", "form": "a time of day as HH:MM, like 07:00"}


class OfficeHours(SettingsModel):
    """When people work with the stack. A stopped cluster costs no nodes (docs/facts/aks.md#stopping-and-starting)."""

    time_zone: str = setting(..., "our choice", unit="name in the IANA database, like Europe/London")
    """Time zone of the local time."""
    days: tuple[Weekday, ...] = setting(
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"), "our choice"
    )
    """Days of the week on which it runs."""
    opens: str = setting("07:00", "our choice", alias="from", unit="HH:MM", **_TIME)
    """Local time at which it starts."""
    closes: str = setting("19:00", "our choice", alias="to", unit="HH:MM", **_TIME)
    """Local time at which it stops; what runs then is evicted."""
