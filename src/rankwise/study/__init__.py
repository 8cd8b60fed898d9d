"""Studies: folds × learners × training measures × evaluation measures, run safely and told in one result."""
