"""Campaigns: judgments with all their runs, what studies find in them, and the registry of studies."""
