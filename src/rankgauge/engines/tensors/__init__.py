"""Score matrices and lists, ranked where they are: in NumPy, torch, or any library of the array API.

`lists` has what is given as scores, `documents` the ids of its columns, and `compared_scores` the scores as
they are compared. `ordering` sorts short lists, `counting` counts the better documents of long ones, and
`engine` chooses between the two: only ranks of judged documents leave the device. `labels` are judgments
beside the scores. `libraries` finds the operations of an array's library, in `host_arrays` and the modules
like it.
"""
