"""Engines: they read runs, order their documents and join them with the judgments.

`local` runs on this machine, `spark` on Apache Spark, `tensors` where arrays of scores are, such as a GPU.
The modules here are what they share: the inputs, the retrieved judgments of a run, the kernel that computes
values, and the facts that results report.
"""
