"""Rules for what a stack asks for, that share no code with planning and know nothing of Pulumi."""
