"""The hours of a week, and of a month, in which a stack runs."""

from datetime import date, datetime, time

from program.settings import HeadroomHours, OfficeHours, Settings

HOURS_A_MONTH = 730
"""365 days of 24 hours over 12 months, as Azure's own price calculator counts ("Azure pricing calculator")."""
_WEEKS_A_MONTH = 365 / 7 / 12


def hours_a_day(hours: OfficeHours | HeadroomHours) -> float:
    """Length of one day; not above 0 where it ends before it starts."""
    begin, end = (
        datetime.combine(date.min, time.fromisoformat(text)) for text in (hours.opens, hours.closes)
    )
    return (end - begin).total_seconds() / 3600


def hours_a_month(settings: Settings) -> float:
    """Hours of a month in which the cluster runs."""
    if settings.office_hours is None:
        return HOURS_A_MONTH
    return len(set(settings.office_hours.days)) * hours_a_day(settings.office_hours) * _WEEKS_A_MONTH
