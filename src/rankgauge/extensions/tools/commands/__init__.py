"""The commands of tools."""
