"""What every SVG of ours begins with, so that a screen reader can read it."""

from html import escape


def opening(attributes: str, title: str, description: str, name: str = "picture") -> str:
    """The start tag of an SVG with its title and its description, and attributes that are written as they are.

    `name` begins the ids of both, so that two pictures fit on one page.
    """
    return (
        f'<svg {attributes} role="img" aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
