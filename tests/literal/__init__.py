"""Each block transcribed client by client, loop by loop, in plain NumPy.

Nothing here is fast, and nothing is shared with the package: this is what the package is compared
with. A module NAME.py has the transcription NAME, `check`, which compares an implementation with it
on random problems, and FAULTS, which `check` must notice.
"""
