"""What stands on the base of rankgauge, a folder each; `rankgauge.schema.extensions` lists what they add."""
