"""The commands of devices."""
