"""The captions of N Fig. 4 and 5: β, and the global, local and smooth sensitivity, at DL(7,4,5)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpaudit.accuracy.listing import enclosed
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.notes import sensitivity
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_exponential import MH, QUOTED_GLOBAL_SENSITIVITY
from dpaudit.notes.reproduce.caption_labels import label_checks
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome, Table
from dpaudit.notes.reproduce.printed import BITS, DIGITS, Candidate, check_number, rounds_to
from dpaudit.numbers.ball import Ball, ball, certainly_less, precision
from dpaudit.report.figures.side_by_side import Lines, LineSeries
from dpaudit.results import Enclosure

__all__ = ["CAPTIONS", "Caption", "reproduce_captions"]

PRIOR = (Fraction(7), Fraction(4), Fraction(5))
_BUDGET = "4/5"  # "(0.8,0.8)-DP"
_COUNTS = {"n": "n", "n+1": "n + 1", "candidates": "|R|"}


@dataclass(frozen=True)
class Caption:
    """Numbers that a caption prints."""

    place: str
    n: int
    beta: str
    global_: str
    local: str
    smooth: str


CAPTIONS = (
    Caption("N Fig. 4(a)", 100, "0.0699407108115", "0.239992747797", "0.08", "0.09"),
    Caption("N Fig. 4(b)", 120, "0.0677791100173", "0.239992747797", "0.0945", "0.096"),
    Caption("N Fig. 5", 150, "0.0677791100173", "0.239992747797", "0.0945", "0.096"),
)
"""The captions, inputs of the comparison; L prints the same."""


def reproduce_captions() -> Item:
    """Return the checks of the captions' numbers, with the values that they are compared with."""
    checks: list[PrintedCheck] = []
    lines: list[tuple[str, ...]] = []
    series = []
    with precision(BITS):
        for caption in CAPTIONS:
            betas = _betas(caption.n)
            wide = _global(caption.n)
            checks += [_beta_check(caption, betas), _global_check(caption, wide)]
            for what, candidates in (("beta", betas), ("global sensitivity", wide)):
                lines += [
                    (str(caption.n), what, name, *enclosed(value, DIGITS).texts())
                    for name, value in candidates
                ]
            local = _Local(caption)
            checks.append(local.check())
            checks += label_checks(
                caption.place,
                caption.n,
                PRIOR,
                (caption.global_, caption.beta),
                (wide[0][1], local.local),
            )
            lines += local.lines()
            series.append(local.curve())
    header = ("n", "what", "reading", "lower", "upper")
    panel = Lines(
        "Every dataset: what the captions' S_β(x) adds to LS(x)",
        "local sensitivity LS(x)",
        "smooth sensitivity S_β(x)",
        (*series, *_printed_points()),
    )
    return Item(
        "captions",
        "β and the sensitivities in the captions, prior DL(7,4,5)",
        "N Fig. 4(a), 4(b), 5; L (the same figures)",
        tuple(checks),
        Table(header, tuple(lines)),
        (panel,),
        (
            "ε = δ = 0.8, as “(0.8,0.8)-DP” says. The captions do not name the data that their "
            "local and smooth sensitivities belong to: all datasets of the size were tried, with "
            "the printed β, numbers rounded and numbers cut off.",
            "The labels are judged of all datasets, as defined (N §2.1 to 2.3), with the printed "
            "global sensitivity and the printed β.",
        ),
        (
            "ε = δ = 0.8",
            "prior (7,4,5)",
            "curves: all datasets, by the printed β",
            "points: as printed",
        ),
    )


def _printed(number: str) -> Enclosure:
    return Enclosure(Decimal(number), Decimal(number))


def _printed_points() -> list[LineSeries]:
    """Return the printed pairs (LS, S_β), each once."""
    pairs = dict.fromkeys((caption.local, caption.smooth) for caption in CAPTIONS)
    return [
        LineSeries(
            f"printed ({local}, {smooth})", (float(local),), (_printed(smooth),), points=True
        )
        for local, smooth in pairs
    ]


# -- β ---------------------------------------------------------------------------------------------


def _betas(n: int) -> list[Candidate]:
    betas = []
    for count, label in _COUNTS.items():
        parameters = {"prior": PRIOR, "epsilon": _BUDGET, "delta": _BUDGET, "count": count}
        betas.append((f"β with the count {label}", MH.build(parameters).beta(n).ball()))
    return betas


def _beta_check(caption: Caption, betas: list[Candidate]) -> PrintedCheck:
    right = enclosed(betas[0][1], DIGITS)
    others = [
        other
        for other in CAPTIONS
        if other.n != caption.n
        and rounds_to(_betas(other.n)[0][1], caption.beta) is PrintedOutcome.REPRODUCED
    ]
    stale = "".join(
        f"it is the β of n = {other.n} printed again; at n = {caption.n} the count n gives {right}"
        for other in others[:1]
    )
    check = check_number(
        f"{caption.place}, β = {caption.beta} at n = {caption.n}",
        caption.beta,
        betas,
        why=stale or "no count gives it",
        note="not with the n + 1 of the text (N §2.3.1)",
    )
    if check.outcome is PrintedOutcome.REPRODUCED:
        return check
    return PrintedCheck(
        check.what, check.printed, check.outcome, betas[0][0], None, right, check.why
    )


# -- the global sensitivity ------------------------------------------------------------------------


def _global(n: int) -> list[Candidate]:
    lowered = HellingerMetric((PRIOR[0], PRIOR[1] - 1))
    return [
        ("GS, the maximum over all datasets (N §2.1)", sensitivity.global_sensitivity(PRIOR, n)),
        ("√(1 − π/4), the constant of A §1", QUOTED_GLOBAL_SENSITIVITY.ball()),
        (
            "H(Dir(7,4,·), Dir(8,3,·)), a step from the prior to a posterior that no dataset "
            "reaches",
            lowered.between((0, 1), (1, 0)),
        ),
    ]


def _global_check(caption: Caption, candidates: list[Candidate]) -> PrintedCheck:
    true = enclosed(candidates[0][1], DIGITS)
    return check_number(
        f"{caption.place}, global sensitivity {caption.global_} at n = {caption.n}",
        caption.global_,
        candidates,
        why="no reading gives it",
        note=f"it is no sensitivity at this prior: the certified GS is {true}; the printed number "
        "is above it, so a mechanism calibrated with it is private, with more noise than needed",
    )


# -- the local and the smooth sensitivity ----------------------------------------------------------

_Window = tuple[Fraction, Fraction]


def _windows(printed: str) -> dict[str, _Window]:
    """Return the closed windows of the numbers that are printed so."""
    value, unit = Fraction(printed), Fraction(1, 10 ** len(printed.partition(".")[2]))
    return {"rounded": (value - unit / 2, value + unit / 2), "cut off": (value, value + unit)}


def _lies_in(value: Ball, window: _Window) -> bool | None:
    """Tell whether a value certainly lies in a window, or certainly outside; None is doubt."""
    low, high = map(ball, window)
    if certainly_less(value, low) or certainly_less(high, value):
        return False
    return True if certainly_less(low, value) and certainly_less(value, high) else None


_HOW = ("rounded", "cut off")
"""Ways in which the numbers of a caption may have been printed, both of a pair in the same way."""


class _Local:
    """LS and S_β, with the printed β, of all datasets of a caption's size."""

    # The captions do not name their data: a pair of numbers is looked for among all datasets.

    def __init__(self, caption: Caption) -> None:
        self.caption = caption
        self.space = Histograms(caption.n, len(PRIOR))
        with precision(96):
            self.local = sensitivity.local_sensitivities(PRIOR, caption.n)
            self.smooth = sensitivity.beta_smooth_sensitivities(
                self.local, ball(Fraction(caption.beta)), self.space
            )

    def check(self) -> PrintedCheck:
        """Return whether some dataset has both numbers, printed in one way."""
        caption, yes = self.caption, PrintedOutcome.REPRODUCED
        what = (
            f"{caption.place}, LS = {caption.local} and S_β = {caption.smooth} at n = {caption.n}"
        )
        for how in _HOW:
            datasets = self._both(how, how)
            if datasets is None:
                undecided = PrintedOutcome.UNDECIDED
                return PrintedCheck(what, caption.local, undecided, "", why="a tie")
            if datasets:
                note = f"{len(datasets)} of {len(self.space)} datasets, such as {datasets[0]}"
                return PrintedCheck(what, caption.local, yes, f"both {how}", why=note)
        return self._neither(what)

    def _neither(self, what: str) -> PrintedCheck:
        caption, no = self.caption, PrintedOutcome.NOT_REPRODUCED
        windows = _windows(caption.local).values()
        near = [
            rank
            for rank, value in enumerate(self.local)
            if any(_lies_in(value, window) is not False for window in windows)
        ]
        if not near:
            why = f"no dataset has LS = {caption.local}"
            return PrintedCheck(what, caption.local, no, "LS(x) (N §2.2)", why=why)
        largest = max(near, key=lambda rank: float(self.smooth[rank]))
        return PrintedCheck(
            what,
            caption.smooth,
            no,
            "S_β(x) (N Def. 2.1) where LS(x) is as printed",
            None,
            enclosed(self.smooth[largest], 9),
            f"{len(near)} of {len(self.space)} datasets have LS = {caption.local}, and this is the "
            f"largest S_β among them, at {self.space[largest]}{self._mixed()}",
        )

    def _mixed(self) -> str:
        """Return how many datasets have both numbers if one is cut off and the other rounded."""
        datasets = self._both("cut off", "rounded")
        if not datasets:
            return ""
        ranks = [self.space.rank(x) for x in datasets]
        above = sum(certainly_less(self.local[rank], self.smooth[rank]) for rank in ranks)
        return (
            f"; {len(datasets)} datasets have both if LS is cut off and S_β rounded, and at "
            f"{above or 'none'} of them S_β is seen to be above LS"
        )

    def _both(self, ls_how: str, smooth_how: str) -> list[Counts] | None:
        """Return the datasets that certainly have both; None where others may have."""
        local_window = _windows(self.caption.local)[ls_how]
        smooth_window = _windows(self.caption.smooth)[smooth_how]
        datasets = []
        for x, ls, smooth in zip(self.space, self.local, self.smooth, strict=True):
            inside = _lies_in(ls, local_window), _lies_in(smooth, smooth_window)
            if False not in inside:
                if None in inside:
                    return None
                datasets.append(x)
        return datasets

    def lines(self) -> list[tuple[str, ...]]:
        n = self.caption.n
        low = n // 3
        x = (n - 2 * low, low, low)
        rank = self.space.rank(x)
        dataset = ",".join(map(str, x))
        return [
            (str(n), f"{what} at ({dataset})", reading, *enclosed(value, DIGITS).texts())
            for what, reading, value in (
                ("local sensitivity", "LS(x) (N §2.2)", self.local[rank]),
                ("smooth sensitivity", "S_β(x) with the printed β", self.smooth[rank]),
            )
        ]

    def curve(self) -> LineSeries:
        """Return the largest S_β for each LS, in 120 classes of LS."""
        classes: dict[int, Ball] = {}
        low, high = (float(pick(self.local, key=float)) for pick in (min, max))
        for ls, smooth in zip(self.local, self.smooth, strict=True):
            place = round(120 * (float(ls) - low) / (high - low))
            classes[place] = smooth.max(classes.get(place, smooth))
        places = sorted(classes)
        return LineSeries(
            f"largest S_β, n = {self.caption.n}",
            tuple(low + place * (high - low) / 120 for place in places),
            tuple(enclosed(classes[place], DIGITS) for place in places),
        )
