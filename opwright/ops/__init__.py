"""The ops that come with opwright, one folder each."""
