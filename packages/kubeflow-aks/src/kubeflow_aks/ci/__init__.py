"""What a CI calls: comments on pull requests, drift, demo clusters and their end."""
