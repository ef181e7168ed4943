"""One module per algorithm: hyperparameters, state, and one pure function per round."""
