"""trec_eval's command on this engine: its measures by name, its options, its output.

    table       trec_eval's measures in its order, their parameters, and its named sets of measures
    options     the options of the command
    columns     from `-m` texts to the columns of the output
    sources     runs as trec_eval reads them
    formulas    the measures behind the columns
    values      the values of every topic
    scalars     how they are computed from small files, without NumPy
    arrays      how they are computed from any others
    zscores     values in standard deviations from the means of other runs
    output      the lines of the output
    program     all of it: from options to lines and notes
    help        descriptions of measures for `-h`

`docs/how-to/from-trec-eval.md` lists where the results differ from trec_eval's, and why.
"""
