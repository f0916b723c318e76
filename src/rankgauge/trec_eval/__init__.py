"""trec_eval's command, spoken by this engine: its measures by name, its options, its lines.

    table       trec_eval's measures in its order, what each takes, what its nicknames stand for
    columns     from `-m` texts to the columns of the output, and to the measures behind them
    sources     runs as trec_eval reads them
    values      the value of every column for every topic
    zscores     values in standard deviations from other runs' means
    program     options in, lines and notes out

`docs/how-to/from-trec-eval.md` lists where the answers differ, and why.
"""
