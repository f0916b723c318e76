"""Score matrices and lists ranked on their device: in NumPy, torch, or any library of the array API.

Only ranks of judged documents leave the device. `lists` holds the scores, `documents` the ids, `arrays` the
operations; `engine` chooses which lists `ranks` sorts.
"""
