"""The commands of pages."""
