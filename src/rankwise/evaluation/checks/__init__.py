"""What may be wrong with data, one room of codes a file: RW1 lists, RW2 labels, RW3 features, RW4 rows, RW5 scores.

A check is a generator of findings about one subject; a new one is a line in `CODES` and in its file's `check`.
"""
