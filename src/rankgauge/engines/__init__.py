"""Engines read runs, order their documents and join them with the judgments; `local` runs on this machine.

The modules here are shared by all engines.
"""
