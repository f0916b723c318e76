"""The compiled core and its pure twin, side by side."""
