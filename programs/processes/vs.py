# Choices and assertions for Python scripts that the checker of processes runs.
import ctypes
import random

_syscall = ctypes.CDLL(None, use_errno=True).syscall


def toss(most):
    """A number from 0 to most: the checker tries all of them."""
    chosen = _syscall(0x5653, most)
    return chosen if chosen >= 0 else random.randint(0, most)


def check(holds):
    """Says that something is true: the checker reports every run in which it is not."""
    if _syscall(0x5654, int(bool(holds))) < 0:
        assert holds
