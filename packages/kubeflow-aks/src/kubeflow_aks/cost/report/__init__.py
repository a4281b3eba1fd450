"""A bill as lines for a terminal, Markdown, JSON and pictures."""
