"""What one local AKS leaves on this machine: its folder and its processes."""
