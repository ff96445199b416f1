"""One file a row; harness.py says what is in it."""
