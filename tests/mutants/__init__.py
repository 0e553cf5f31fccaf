"""Measures the power of the tests: `make mutants` makes small wrong changes, one at a time, and runs the tests that
execute the changed line. A change that no test finds shows a line whose meaning is not tested."""
