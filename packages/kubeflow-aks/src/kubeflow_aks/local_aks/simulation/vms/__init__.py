"""Agent pools as Azure has them, and the VMs and nodes they stand for."""
