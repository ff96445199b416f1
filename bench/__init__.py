"""Benchmarks: what opwright costs beside its peers. See README.md."""
