"""trec_eval's command on this engine: its measures by name, its options, its output.

`docs/how-to/from-trec-eval.md` lists where the results differ from trec_eval's, and why.
"""
