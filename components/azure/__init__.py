"""What Azure prescribes for every resource: names, ids, tags, address ranges and roles."""
