"""The displayed equations of the book, carried out as printed and held against the package.

A module has the equations of one page of docs/en. The function of an equation computes in plain
NumPy, client by client, what the equation says, and compares it with the part of the package that
it is given, a module; `states` names the equation, the fingerprint of its English TeX, that module,
and mistakes in it that the function must notice.
"""
