"""Check a certificate that finite output laws are differentially private: whole numbers, no more.

    python certificate_checker.py certificate.json

A probability is a weight over its law's total, both polynomials in t = e^(-rate) with whole
coefficients, constants for rational laws.  With c = multiple*t^(-power) this file checks:
1. every weight is >= 0, every total > 0, and the weights of a law add up to its total;
2. c is at most e^epsilon, by Taylor's series with a bound of its remainder;
3. for all ordered pairs (P, Q) the sum over outputs of max(0, P - c*Q) is at most delta: then
   P(S) <= e^epsilon * Q(S) + delta for every event S;
4. pairs have both directions, and of histograms under substitution none is missing.
"""

import json
import re
import sys
from itertools import zip_longest
from math import comb
from typing import Any

__all__ = ["check", "main"]
Rational = tuple[int, int]


def demand(condition: bool, what: str) -> None:
    """Refuse the certificate unless the condition holds."""
    if not condition:
        raise ValueError(what)


def fraction(text: str) -> Rational:
    """Return the two whole numbers of "p/q" or "p", the second of them positive."""
    above, _, below = text.partition("/")
    demand(int(below or "1", 10) > 0, "a denominator is not positive")
    return int(above, 10), int(below or "1", 10)


def plus(p: list[int], q: list[int]) -> list[int]:
    """Return p + q."""
    return [a + b for a, b in zip_longest(p, q, fillvalue=0)]


def times(p: list[int], q: list[int]) -> list[int]:
    """Return p * q."""
    product = [0] * max(0, len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    return product


def exp_minus(a: int, b: int, bits: int) -> Rational:
    """Return low and high with low <= 2^bits * e^(-a/b) <= high, where a >= 0 and b > 0."""
    halvings = (a // b).bit_length() + 1
    b, work = b << halvings, bits + 2 * halvings + 8  # a/b is at most 1/2 now
    low = high = least = most = 1 << work
    for j in range(1, work):  # a term is less than half of the one before it
        least, most = least * a // (b * j), -(-most * a // (b * j))
        low, high = (low - most, high - least) if j % 2 else (low + least, high + most)
    low, high = max(0, low - most), high + most  # what is left is less than the last term
    for _ in range(halvings):
        low, high = low * low >> work, -(-high * high >> work)
    return low >> (work - bits), -(-high >> (work - bits))


def sign(p: list[int], rate: Rational) -> int:
    """Return the sign of p at t = e^(-rate), 0 only where p is 0 identically; or refuse."""
    if not any(p):
        return 0
    for bits in (128, 512, 2048, 8192):
        least, most = exp_minus(*rate, bits)
        low = high = 0
        for a in reversed(p):  # Horner's a + t*(what is there already), rounded outward
            low = (a << bits) + (low * (least if low >= 0 else most) >> bits)
            high = (a << bits) - (-high * (most if high >= 0 else least) >> bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
    raise ValueError("a sign is not decided")


def check_multiple(epsilon: dict[str, str], c: Rational, power: int, rate: Rational) -> None:
    """Demand that c * e^(power*rate) is at most e^epsilon: c/e^logarithm <= e^(a/b)."""
    demand(set(epsilon) in ({"rational"}, {"logarithm"}), "epsilon has no known form")
    (p, q), (a, b) = fraction(epsilon.get("logarithm", "1")), fraction(epsilon.get("rational", "0"))
    above, below = c[0] * q, c[1] * p
    a, b = a * rate[1] - power * rate[0] * b, b * rate[1]
    low, high = exp_minus(abs(a), b, 1024)
    held = above * high <= below << 1024 if a >= 0 else above << 1024 <= below * low
    demand(p > 0 and held, "the multiple is not certainly at most e^epsilon")


def check_pairs(relation: str, datasets: list[str], pairs: set[tuple[int, int]]) -> None:
    """Demand both directions, and all pairs there are of histograms under substitution."""
    both = all((y, x) in pairs and x != y for x, y in pairs)
    demand(bool(pairs) and both, "there are no pairs, or one has one direction only")
    if relation == "histogram-substitution":
        counts = [tuple(map(int, re.findall(r"-?[0-9]+", text))) for text in datasets]
        n, k = sum(counts[0]), len(counts[0])
        demand(all((sum(x), len(x)) == (n, k) and min(x) >= 0 for x in counts), "no histogram")
        demand(len(set(counts)) == len(counts) == comb(n + k - 1, k - 1), "a histogram is missing")
        for x, y in ((x, y) for x in range(len(counts)) for y in range(len(counts))):
            apart = sum(abs(a - b) for a, b in zip(counts[x], counts[y], strict=True))
            demand((apart == 2) == ((x, y) in pairs), f"{datasets[x]}: a neighbour is missing")


def check(found: dict[str, Any]) -> str:
    """Return what a certificate proves, in one line; raise ``ValueError`` if it does not."""
    demand(found["schema"] == "dpaudit.certificate/1", "this is not a certificate")
    rate = fraction(found.get("rate", "0"))
    c, power, delta = fraction(found["multiple"]), found["power"], fraction(found["delta"])
    demand(type(power) is int and power >= 0 and c[0] > 0, "the multiple is not positive")
    demand(rate[0] >= 0 and 0 <= delta[0] < delta[1], "the rate or delta is out of range")
    check_multiple(found["epsilon"], c, power, rate)
    names, outputs, laws = found["datasets"], found["outputs"], []
    for weights, total_text in zip(found["weights"], found["totals"], strict=True):
        law, total = [[int(a, 10) for a in p] for p in weights], [int(a, 10) for a in total_text]
        demand(len(law) == len(set(outputs)) == len(outputs), "an output is missing")
        demand(all(sign(weight, rate) >= 0 for weight in law), "a weight is negative")
        demand(sign(total, rate) > 0, "a total is not positive")
        added = [sum(column) for column in zip_longest(*law, fillvalue=0)]
        demand(not any(plus(added, [-a for a in total])), "weights do not add up to their total")
        laws.append((law, total))
    pairs = {(x, y) for x, y in found["pairs"] if 0 <= x < len(laws) and 0 <= y < len(laws)}
    whole = len(pairs) == len(found["pairs"]) and len(laws) == len(set(names)) == len(names)
    demand(whole, "a pair or a dataset is repeated, or has no law")
    check_pairs(found["adjacency"], names, pairs)
    for x, (p, p_total), (q, q_total) in ((x, laws[x], laws[y]) for x, y in pairs):
        shift, excess = [0] * power, [0]  # the sum of max(0, P - c*Q) times all denominators
        for ours, theirs in zip(p, q, strict=True):
            mine = times([*shift, c[1]], times(ours, q_total))
            difference = plus(mine, times([-c[0]], times(theirs, p_total)))
            excess = plus(excess, difference) if sign(difference, rate) > 0 else excess
        allowed = times([*shift, c[1] * delta[0]], times(p_total, q_total))
        held = sign(plus(allowed, times([-delta[1]], excess)), rate) >= 0
        demand(held, f"a pair of {names[x]} exceeds delta")
    return f"accepted: {found['epsilon']}, delta {found['delta']} of the {len(laws)} laws listed"


def main(path: str) -> None:
    """Print what a file proves; exit with 1 and the reason if it is refused."""
    try:
        with open(path, encoding="utf-8") as file:
            print(check(json.load(file)))
    except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        sys.exit(f"refused: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
