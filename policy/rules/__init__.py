"""This product's own promises as rules, one module a subject."""
