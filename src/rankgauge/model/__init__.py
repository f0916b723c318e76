"""The model: what users hold in their hands, and the rules behind it.

`Run`, `Qrels` and `SubtopicQrels` go into an evaluation, `Scores` and `Curves` come out of it.
The other modules are the rules for the order of documents and for topics, provenance and notes, tables and
documents to print, and the validation of files.
"""
