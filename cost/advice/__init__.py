"""What to change in a stack file to pay less; nothing that planning refuses."""
