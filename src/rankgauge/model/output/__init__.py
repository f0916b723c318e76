"""Tables and documents: what results look like in a terminal, a file or a paper."""
