"""The commands and their summaries."""

# A command is a module of this package with `configure(parser)`, `run(args) -> exit code` and a
# docstring for its help; only the module of the command that is run is imported.
COMMANDS = {
    "evaluate": "score runs against judgments",
    "dense": "score a dense retriever from its vectors, without a run",
    "compare": "test whether runs differ significantly",
    "diff": "show which topics changed between two runs, and what moved",
    "curve": "show measures at every rank",
    "explore": "look at runs and rankings in a browser, and try changes",
    "report": "make an HTML report on runs",
    "explain": "show how a value was computed, rank by rank",
    "study": "study measures on the runs of a campaign",
    "pool": "list the documents to judge, from the top of runs",
    "journal": "read what people judged in the explorer",
    "agreement": "compare two sets of judgments, and how they order runs",
    "figure": "draw runs, scores or tables, for papers and web pages",
    "reproduce": "run the experiment of a paper on your own collections",
    "trec_eval": "evaluate with trec_eval's options and output",
    "validate": "check runs and judgments, and list every problem",
    "campaign": "check, pool and evaluate all runs of a folder, for organisers",
    "convert": "convert a run or judgments to another format",
    "simulate": "generate judgments and runs of any size",
    "measures": "list the measures, or describe one",
    "completion": "print a completion script for a shell",
}
