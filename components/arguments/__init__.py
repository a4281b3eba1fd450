"""What all components share: the form of arguments, their defaults, choices and limits, and their mistakes."""
