"""The tests in here are those of a new project, which has a library: see `opwright new`."""

collect_ignore_glob = ["tensorflow/*"]
