"""Stands for the repository rules_cc, which Bazel 4 wants to download: its own rules."""

cc_binary = native.cc_binary
cc_library = native.cc_library
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
