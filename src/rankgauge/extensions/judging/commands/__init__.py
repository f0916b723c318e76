"""The commands of judging."""
