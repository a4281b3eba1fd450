"""What a VM, a disk, an address costs, and how often spot VMs are taken: from settings, from Azure, from a snapshot."""
