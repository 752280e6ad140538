"""pure-ldp: clients of frequency oracles and of heavy hitters.

Local hashing sends the seed of its hash along.  Where seeds are 64 bits long, the module's largest
seed is set to a small one: the loss does not depend on which seeds there are, as each is sent.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_ORACLES = "from math import log\nfrom pure_ldp.frequency_oracles import *\n"
_HASHES = "from pure_ldp.core import generate_hash_funcs\n"
_LOCAL = "import pure_ldp.frequency_oracles.local_hashing.lh_client as lh\nlh.maxsize = 7\n"
_SEEDS = "hash seeds 0 to 7"
_ITEMS = (1, 2, 3)
_WORDS = ("00", "01", "10", "11")

_UNARY = tuple(
    Case(f"UEClient({epsilon}, 3{oue}).privatise(x)", stated, _ITEMS, _ORACLES)
    for epsilon, stated in (("1", "1"), ("log(3)", "ln(3)"))
    for oue in ("", ", use_oue=True")
)

_SKETCHES = (
    Case(
        "CMSClient(1, hashes, 4).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}hashes = generate_hash_funcs(2, 4)",
    ),
    Case(
        "CMSClient(1, hashes, 4, is_hadamard=True).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}hashes = generate_hash_funcs(2, 4)",
    ),
    Case(
        "PCSClient(1, 2, 4, hashes).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}"
        "hashes = list(zip(generate_hash_funcs(2, 4), generate_hash_funcs(2, 2)))",
    ),
    Case(
        "SketchResponseClient(1, 4, hashes, lh_k=4).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}hashes = generate_hash_funcs(2, 4)",
    ),
    Case(
        "SketchResponseClient(1, 4, hashes, lh_k=4, count_sketch=True).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}"
        "hashes = list(zip(generate_hash_funcs(2, 4), generate_hash_funcs(2, 2)))",
    ),
    Case(
        "SketchResponseClient(1, 4, hashes, fo_client=DEClient(1, 4)).privatise(x)", "1", _ITEMS,
        f"{_ORACLES}{_HASHES}hashes = generate_hash_funcs(2, 4)",
    ),
)  # fmt: skip

_RAPPOR = tuple(
    Case(
        "RAPPORClient(f, 4, hashes, num_of_cohorts=2).privatise(x)",
        stated,
        _ITEMS,
        f"{_ORACLES}{_HASHES}hashes = [generate_hash_funcs({k}, 4), generate_hash_funcs({k}, 4)]\n"
        f"f = RAPPORClient(0, 4, hashes).{how}",
        note=note,
    )
    for k, stated, how, note in (
        (1, "ln(3)", "convert_eps_to_f(log(3))", "f = convert_eps_to_f(log(3)), one hash"),
        (1, "1", "convert_eps_to_f(1)", "f = convert_eps_to_f(1), one hash"),
        (2, "ln(3)", "convert_eps_to_f(log(3))", "f = convert_eps_to_f(log(3)), two hashes"),
    )
)

_CASES = (
    Case("DEClient(1, 3).privatise(x)", "1", _ITEMS, _ORACLES),
    Case("DEClient(log(3), 3).privatise(x)", "ln(3)", _ITEMS, _ORACLES),
    *_UNARY,
    Case("HEClient(1, 3).privatise(x)", "1", _ITEMS, _ORACLES, how="sampled"),
    Case("LHClient(1, 3).privatise(x)", "1", _ITEMS, _ORACLES + _LOCAL, note=_SEEDS),
    Case("LHClient(1, 3, use_olh=True).privatise(x)", "1", _ITEMS, _ORACLES + _LOCAL, note=_SEEDS),
    Case("LHClient(log(3), 3, use_olh=True).privatise(x)", "ln(3)", _ITEMS, _ORACLES + _LOCAL,
         note=_SEEDS),
    Case("FastLHClient(1, 3, 8).privatise(x)", "1", _ITEMS, _ORACLES),
    Case("FastLHClient(1, 3, 8, use_olh=True).privatise(x)", "1", _ITEMS, _ORACLES),
    Case("HadamardResponseClient(1, 3, None).privatise(x)", "1", _ITEMS, _ORACLES),
    Case("HadamardResponseClient(log(3), 4, [2, 0, 3, 1]).privatise(x)", "ln(3)", (1, 2, 3, 4),
         _ORACLES),
    Case("HadamardResponseClient(2, 4, [2, 0, 3, 1]).privatise(x)", "2", (1, 2, 3, 4), _ORACLES),
    Case("list(HadamardMechClient(1, 4, 1).privatise(x))", "1", (1, 2, 3, 4), _ORACLES,
         note="t = 1, the answer read as a list"),
    Case("list(HadamardMechClient(1, 4, 2).privatise(x))", "1", (1, 2, 3, 4), _ORACLES,
         note="t = 2, the answer read as a list"),
    Case("list(HadamardMechClient(log(3), 4, 1, use_optimal_t=True).privatise(x))", "ln(3)",
         (1, 2, 3, 4), _ORACLES, note="the answer read as a list"),
    Case("(type(y := HadamardMechClient(1, 4, 1).privatise(x)).__name__, *y)", "1", (1, 2, 3, 4),
         _ORACLES, note="the answer with its type: a list where it is the truth, else a zip"),
    *_SKETCHES,
    *_RAPPOR,
    Case("PEMClient(1, 1, 2, 1).privatise(x)", "1", _WORDS,
         f"{_LOCAL}from pure_ldp.heavy_hitters.prefix_extending.pem_client import PEMClient",
         note=_SEEDS),
    Case("TreeHistClient(1, 1, 2, fo_client=FastLHClient(1, None, 2, use_olh=True)).privatise(x)",
         "1", _WORDS,
         f"{_ORACLES}"
         "from pure_ldp.heavy_hitters.treehistogram.treehist_client import TreeHistClient"),
    Case("SFPClient(1, 1, 2, fo_client=CMSClient(1, hashes, 2)).privatise(x)", "1", _WORDS,
         f"{_ORACLES}{_HASHES}hashes = generate_hash_funcs(1, 2)\n"
         "from pure_ldp.heavy_hitters.apple_sfp.sfp_client import SFPClient"),
)  # fmt: skip

_WITHOUT = {
    "pure_ldp.*Server": "it reads answers of clients, not values",
    "pure_ldp.frequency_oracles.zero_oracle.*": "it states no ε, and answers 0 whatever the value "
    "is",
    "pure_ldp.frequency_oracles.hadamard_response.internal.*": "HadamardResponseClient calls it, "
    "or simulations of it do",
    "pure_ldp.core.*": "it states no ε: base classes, hash functions, and clients made by name",
    "pure_ldp.heavy_hitters.apple_sfp.sfp_client.HeavyHitterClient": "a base class",
    "pure_ldp.simulations.*": "it simulates clients and servers",
}
_SAME = {
    f"pure_ldp.{folder}.*": "the same file as in 1.2.0"
    for folder in ("frequency_oracles", "heavy_hitters")
}

_PINS = (
    "xxhash==3.5.0", "bitstring==5.0.0", "bitarray==3.12.3", "scikit-learn==1.9.1",
    "statsmodels==0.15.0", "pandas==3.1.1",
)  # fmt: skip
_FOUND = (
    "`RAPPORClient._perturb` writes ones into the bits of the value and no zeros: a bit that "
    "the value sets is 1 in every answer.  `HadamardMechClient.privatise` returns a list "
    "where it tells the truth and a zip where it does not; if both are read as lists, it "
    "keeps its budget up to the rounding of floats.  "
)
_NOTE = (
    "it imports scikit-learn and statsmodels, which it does not declare to need, and calls xxhash "
    "as versions before 4 allow; these are installed beside it."
)

ENVIRONMENTS = (
    Environment(
        "pure-ldp",
        "1.2.0",
        _CASES,
        _PINS,
        package="pure_ldp",
        without=_WITHOUT,
        note=_FOUND + _NOTE[0].upper() + _NOTE[1:],
    ),
    Environment(
        "pure-ldp",
        "1.1.2",
        _UNARY,
        _PINS,
        package="pure_ldp",
        without={**_WITHOUT, **_SAME},
        note=_NOTE,
    ),
)
