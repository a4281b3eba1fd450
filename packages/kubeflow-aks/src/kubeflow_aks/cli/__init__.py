"""The command line: one file for each command; what all of them share stands once."""
