"""Score matrices and lists, ranked where they are: in NumPy, torch, or any library of the array API.

`lists` has what is given as scores, `documents` the ids of its columns. `ranks` sorts short lists and counts
the better documents of long ones, and `engine` chooses between the two: only ranks of judged documents leave
the device. `arrays` has the operations, of the library and on the device of an array.
"""
