"""What Azure charged for a stack and what its nodes did, beside what was expected."""
