"""The way from a stack file to the components: its settings, the plan, the arguments."""
