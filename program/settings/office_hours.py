"""The hours in which a stack runs; outside them the cluster is stopped."""

from components.arguments.choices import Weekday
from program.settings._model import SettingsModel, setting

_TIME = {"pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]$", "form": "a time of day as HH:MM, like 07:00"}


class OfficeHours(SettingsModel):
    """When people work with the stack. A stopped cluster costs no nodes (docs/facts/aks.md#stopping-and-starting)."""

    time_zone: str = setting(
        about="Time zone of the local time.",
        unit="name in the IANA database, like Europe/London",
        source="our choice",
    )
    days: tuple[Weekday, ...] = setting(
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
        about="Days of the week on which it runs.",
        source="our choice",
    )
    opens: str = setting(
        "07:00",
        alias="from",
        about="Local time at which it starts.",
        unit="HH:MM",
        source="our choice",
        **_TIME,
    )
    closes: str = setting(
        "19:00",
        alias="to",
        about="Local time at which it stops; what runs then is evicted.",
        unit="HH:MM",
        source="our choice",
        **_TIME,
    )
