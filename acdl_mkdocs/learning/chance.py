"""Whether a difference may be chance: the exact sign test, which is McNemar's exact test where scores are 0 and 1."""

_LIKELY, _UNLIKELY = 0.05, 0.01


def sign_test(n_better: int, n_worse: int) -> float:
    """How likely a split at least this uneven is if each pair that differs is as likely better as worse.

    Two-sided and exact; 1 where no pair differs.
    """
    n = n_better + n_worse
    tail = ways = 1
    for k in range(1, min(n_better, n_worse) + 1):
        ways = ways * (n - k + 1) // k  # from one binomial coefficient to the next
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def in_words(n_better: int, n_worse: int) -> str:
    """What the test says, for people who do not know it."""
    n = n_better + n_worse
    if n == 0:
        return "no sample is answered better or worse"
    p = sign_test(n_better, n_worse)
    if p < _UNLIKELY:
        said = "this is hardly chance"
    elif p < _LIKELY:
        said = "this is probably not chance"
    else:
        said = "this may well be chance: more samples would tell"
    chance = f"{100 * p:.2g}" if p >= 1e-6 else "less than 0.0001"
    return (
        f"{n_better} better, {n_worse} worse; if the two were equally good, a split at least this uneven would come up "
        f"in {chance} % of cases (exact sign test, p = {p:.2g}): {said}"
    )
