"""What AKS and Azure's network refuse when a resource is put, as tables of rules by topic."""
