"""The studies: one module per study, named like it."""
