"""Benchmarks, run by ``make bench``: every figure beside a baseline measured in the same run."""
