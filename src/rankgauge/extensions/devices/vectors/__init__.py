"""Ranks of judged documents, by counting documents whose vectors have a better score.

A score is defined in double precision, whatever the parts of a corpus, the processor and the libraries.
Products in faster arithmetic decide wherever their error cannot matter; the few documents for which it could
are scored again.
"""
