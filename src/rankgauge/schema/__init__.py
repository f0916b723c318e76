"""The schema: what declarations are made of.

Frozen records, options, typed parameters, checks of arguments, small texts, and the one registry behind
measures, tests, studies, figures and formats.
"""
