"""Score matrices and lists, ranked where they are: in NumPy, torch, or any library of the array API.

`lists` has what is given as scores, `documents` the ids of its columns, `arrays` the few operations that
each library is asked for. `ordering` sorts short lists, `counting` counts the better documents of long ones,
and `engine` chooses between the two: only ranks of judged documents leave the device.
"""
