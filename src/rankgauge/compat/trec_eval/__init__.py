"""trec_eval's command on this engine: its measures by name, its options, its output.

    columns     trec_eval's measures, its options, and the columns of the output that `-m` names
    formulas    the measures behind the columns
    values      the values of every topic; those of small files, without NumPy
    arrays      the values from any other input
    output      the lines of the output, with z-scores and notes

`docs/how-to/from-trec-eval.md` lists where the results differ from trec_eval's, and why.
"""
