"""RankLib's learners, emulated with their defects, for those who must compare with its numbers.

Rankwise is neither made nor endorsed by RankLib's authors. docs/coming-from-ranklib.md says what follows it, how far.
"""
