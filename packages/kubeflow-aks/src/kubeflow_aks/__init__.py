"""All that looks at the program, judges it or operates what it made."""
