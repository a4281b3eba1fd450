"""Numbers for people."""


def counted(number: int | None, noun: str) -> str:
    """`1 task`, `2 tasks`; `? tasks` for a number that is not known."""
    return f"{'?' if number is None else number} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Seconds: `45 s`, `12 min 30 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
