"""Azure Resource Manager over HTTP on this machine, as far as the scale sets of the agent pools go."""
