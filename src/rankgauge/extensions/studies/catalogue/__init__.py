"""The studies."""
