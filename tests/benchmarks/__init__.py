"""What a certificate costs beside the plain computation: ``python -m tests.benchmarks``.

The same work, the realised ε of EHDS over all pairs, by dpaudit and by four other ways, each in a
process of its own, all in one run on one machine, each answer held against the certified interval.
Times are only ever compared with times of the same run; no test asserts one.
"""
