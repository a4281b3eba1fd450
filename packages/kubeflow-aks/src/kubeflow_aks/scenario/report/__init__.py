"""The demo's page: one HTML file that shows what happened, without anything from elsewhere."""
