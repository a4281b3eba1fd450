"""Newton's method where it cannot fail."""

from collections.abc import Callable


def descend(start: float, at: Callable[[float], tuple[float, float]]) -> float:
    """The root of a convex function that grows from there to `start`, where it is not negative.

    Its steps only ever go down to the root, so one that does not go down any more is the last. Without SciPy, whose
    import takes a fifth of a second.

    Args:
        start: at the root or beyond.
        at: the function and its slope.
    """
    while True:
        value, slope = at(start)
        lower = start - value / slope
        if not lower < start:
            return start
        start = lower
