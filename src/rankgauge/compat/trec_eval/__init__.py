"""trec_eval's command, spoken by this engine: its measures by name, its options, its lines.

    table       trec_eval's measures in its order, what each takes, what its nicknames stand for
    options     what the command can be told
    columns     from `-m` texts to the columns of the output
    sources     runs as trec_eval reads them
    values      the measures behind the columns, and their value for every topic
    zscores     values in standard deviations from other runs' means
    output      the lines
    program     all of it: options in, lines and notes out
    help        what `-h` says of measures

`docs/how-to/from-trec-eval.md` lists where the answers differ, and why.
"""
