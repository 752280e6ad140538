"""Hostile and careless plug-ins, by name: each exceeds its budget of 1, whatever it says.

A law at 9/10 realises ln 9.  ``HARMLESS`` are those that must come to nothing, with what is found
of them; ``TRUSTED`` those that pass, as no tool that runs a plug-in in its own process could tell:
``docs/trust.md`` lists them, by these names.
"""

__all__ = ["HARMLESS", "MODULE", "TRUSTED"]

MODULE = '''
import itertools, json, os, struct, sys, threading, time
from fractions import Fraction


class Base:
    """Tell the truth with probability 9/10: ε is ln 9."""

    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, x):
        return {x: "9/10", 1 - x: "1/10"}


def channel():
    """What the process says its audit with."""
    frame = sys._getframe()
    while frame is not None:
        if callable(frame.f_locals.get("send")):
            return frame.f_locals["send"]
        frame = frame.f_back


def say(*parts):
    for part in parts:
        channel()(part if isinstance(part, bytes) else json.dumps(part).encode())


def audit(name, lower="0.5", upper="0.5", verdict="within", n=1, delta="0", most=None, **other):
    """An audit that was never made, of all that the entry asks for."""
    import hashlib
    from dpaudit.fingerprint import fingerprint
    with open(__file__, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    interval = {"lower": lower, "upper": upper}
    size = {
        "n": n, "datasets": 2, "pairs": 1, "pairs_covered": 1, "outputs": 2, "epsilon": interval,
        "delta": {"epsilon": "1", "lower": delta, "upper": most or delta},
        "curve": [], "verdict": verdict,
        "witness": {"x": 0, "y": 1, "output": 0, "loss": interval},
    }
    audited = {
        "schema": "dpaudit.audit/1", "version": "0.1.0", "mechanism": {"name": name},
        "stated": {"epsilon": "1", "delta": "0"}, "budget": {"epsilon": "1", "delta": "0"},
        "adjacency": "all", "at": None, "digits": 12, "verdict": verdict, "results": [size],
        "sizes": [1], "missing": [], "undecided": [], "fingerprint": fingerprint(),
        "loaded": {"reference": "plugins.py:" + name, "sha256": digest},
    }
    return {"report": audited | other}


class Says(Base):
    """Says something of its own, and leaves before anything else is said."""

    def said(self):
        return []

    def law(self, x):
        say(*self.said())
        os._exit(0)
'''

_LAW = "    def law(self, x):\n"


def says(*parts: str) -> str:
    """A plug-in that says ``parts`` and leaves."""
    return f"    def said(self):\n        return [{', '.join(parts)}]\n"


def law(*lines: str) -> str:
    """A plug-in with a law of its own."""
    return _LAW + "".join(f"        {line}\n" for line in lines)


_AS_EVER = "return Base.law(self, x)"


def daemon(then: str = "time.sleep(600)") -> tuple[str, ...]:
    """Lines that start a process in a session of its own, whose parent is gone at once."""
    return (
        "if not os.fork():",
        "    os.setsid()",
        "    if os.fork(): os._exit(0)",
        "    open('pids', 'a').write(f'{os.getpid()} ')",
        f"    {then}",
        "os.wait()",
        "time.sleep(0.5)",
    )


HARMLESS: dict[str, tuple[str, str]] = {
    # leaving
    "exit_zero": (law("os._exit(0)"), "crashed"),
    "sys_exit": (law("sys.exit(0)"), "broken"),
    "system_exit_in_repr": (
        law("class R:", "    def __repr__(self): sys.exit(0)", "return {R(): 1}"),
        "broken",
    ),
    "base_exception": (law("class Odd(BaseException): pass", "raise Odd()"), "broken"),
    "interrupt": (law("raise KeyboardInterrupt"), "broken"),
    "endless_recursion": (law("return self.law(x)"), "broken"),
    # saying
    "old_message": (
        says(
            "{'title': 'fine', 'mechanism': 'fine', 'kind': 'within', 'passed': True,"
            " 'message': '', 'location': None, 'audit': None}"
        ),
        "crashed",
    ),
    "failure_that_passes": (says("{'failure': 'within'}"), "crashed"),
    "failure_beside_audit": (says("audit(type(self).__name__) | {'failure': 'broken'}"), "crashed"),
    "half_a_message": (says("json.dumps(audit(type(self).__name__)).encode()[:-9]"), "crashed"),
    "half_then_hangs": (law("say(b'{')", "time.sleep(600)"), "time cap"),
    "whole_then_hangs": (law("say(audit('whole_then_hangs'))", "time.sleep(600)"), "time cap"),
    "header_of_a_tebibyte": (says("struct.pack('!iQ', -1, 1 << 40)"), "crashed"),
    "garbage": (says("os.urandom(1000)"), "crashed"),
    "nested": (says("b'[' * 100_000"), "crashed"),
    "pours": (law("while True: say(b'x' * 65536)"), "crashed"),
    "twice": (says("audit(type(self).__name__)", "audit(type(self).__name__)"), "crashed"),
    "forged_then_true": (law("say(audit('forged_then_true'))", _AS_EVER), "crashed"),
    "closes_early": (
        law(
            "for one in os.listdir('/proc/self/fd'):",
            "    if int(one) > 2:",
            "        try: os.close(int(one))",
            "        except OSError: pass",
            _AS_EVER,
        ),
        "crashed",
    ),
    # audits of something else
    "another_kind": (says("audit(type(self).__name__, schema='dpaudit.notion/1')"), "crashed"),
    "no_kind": (says("audit(type(self).__name__, schema='dpaudit.gate/1')"), "crashed"),
    "unnamed_kind": (says("audit(type(self).__name__, schema=None)"), "crashed"),
    "field_of_its_kind": (
        says("{'audit': audit(type(self).__name__)['report']}"),
        "crashed",
    ),
    "list_of_audits": (
        says(
            "{'report': {'schema': 'dpaudit.reports/1', 'version': '0.1.0', 'verdict': 'within',"
            " 'reports': [audit(type(self).__name__)['report']]}}"
        ),
        "crashed",
    ),
    "another_mechanism": (says("audit('Base')"), "crashed"),
    "another_size": (says("audit(type(self).__name__, n=2)"), "crashed"),
    "no_size": (says("audit(type(self).__name__, results=[])"), "crashed"),
    "another_budget": (
        says("audit(type(self).__name__, budget={'epsilon': '100', 'delta': '0'})"),
        "crashed",
    ),
    "a_budget_of_delta_one": (
        says("audit(type(self).__name__, budget={'epsilon': '1', 'delta': '1'})"),
        "crashed",
    ),
    "another_file": (
        says(
            "audit(type(self).__name__, loaded={'reference': 'plugins.py:' + type(self).__name__,"
            " 'sha256': 64 * '0'})"
        ),
        "crashed",
    ),
    "some_pairs": (says("audit(type(self).__name__, at='0')"), "crashed"),
    "missing_sizes": (says("audit(type(self).__name__, missing=[1])"), "crashed"),
    # numbers that are none, or do not make it so
    "verdict_beside_excess": (
        says("audit(type(self).__name__, '2.1', '2.2', 'within', delta='0.4')"),
        "exceeds",
    ),
    "epsilon_beside_delta": (says("audit(type(self).__name__, delta='0.4')"), "crashed"),
    "not_a_number": (says("audit(type(self).__name__, 'nan', 'nan')"), "crashed"),
    "reversed": (says("audit(type(self).__name__, '0.6', '0.5')"), "crashed"),
    "below_zero": (says("audit(type(self).__name__, '-1', '0.5')"), "crashed"),
    "beyond_any_exponent": (says("audit(type(self).__name__, '1e-999999999', '0.5')"), "crashed"),
    "wide": (says("audit(type(self).__name__, '0', 'inf', most='1')"), "undecided"),
    # staying
    "thread_lives_on": (
        law("threading.Thread(target=time.sleep, args=(600,)).start()", _AS_EVER),
        "exceeds",
    ),
    "grandchild_lives_on": (
        law(
            "if not os.fork():",
            "    open('pids', 'a').write(f'{os.getpid()} ')",
            "    time.sleep(600)",
            _AS_EVER,
        ),
        "exceeds",
    ),
    "grandchild_of_its_own_group": (
        law(
            "if not os.fork():",
            "    os.setsid()",
            "    open('pids', 'a').write(f'{os.getpid()} ')",
            "    time.sleep(600)",
            "time.sleep(0.2)",
            _AS_EVER,
        ),
        "exceeds",
    ),
    "grandchild_of_one_that_hangs": (
        law(
            "if not os.fork():",
            "    open('pids', 'a').write(f'{os.getpid()} ')",
            "    time.sleep(600)",
            "time.sleep(600)",
        ),
        "time cap",
    ),
    "daemon_of_one_that_answers": (law(*daemon(), _AS_EVER), "exceeds"),
    "daemon_of_one_that_hangs": (law(*daemon(), "time.sleep(600)"), "time cap"),
    "daemon_of_one_that_dies": (law(*daemon(), "os._exit(3)"), "crashed"),
    "daemon_of_one_that_is_killed": (law(*daemon(), "os.kill(os.getpid(), 9)"), "crashed"),
    "daemon_without_an_environment": (
        law(*daemon(then="os.execve('/bin/sleep', ['sleep', '600'], {})"), "time.sleep(600)"),
        "time cap",
    ),
    # the tool itself
    "patches_the_verdict": (
        law(
            "import dpaudit.audit.certify as certify",
            "from dpaudit.results import Verdict",
            "certify._verdict = lambda found, budget: Verdict.WITHIN",
            _AS_EVER,
        ),
        "exceeds",
    ),
    "patches_the_judge": (
        law(
            "import dpaudit.gate.messages as judge, dpaudit.gate.messages as told",
            "judge.judge = told.judge = lambda *given: (judge.Kind.WITHIN, 'fine')",
            _AS_EVER,
        ),
        "exceeds",
    ),
    "prints_much": (law("sys.stdout.write(50_000_000 * 'x')", _AS_EVER), "exceeds"),
    # laws, outputs and numbers
    "changes_its_law": (
        law(
            "type(self).seen = getattr(self, 'seen', 0) + 1",
            "return {x: Fraction(1, 1 + self.seen), 1 - x: Fraction(self.seen, 1 + self.seen)}",
        ),
        "broken",
    ),
    "negative": (law('return {x: "3/2", 1 - x: "-1/2"}'), "broken"),
    "not_finite": (law('return {x: float("nan"), 1 - x: 1}'), "broken"),
    "denies_its_sign": (
        law(
            "class Never(Fraction):",
            "    def __lt__(self, other): return False",
            "    def __le__(self, other): return False",
            "return {x: Never(3, 2), 1 - x: Never(-1, 2)}",
        ),
        "broken",
    ),
    "float_of_another_text": (
        law(
            "class Half(float):",
            "    def __repr__(self): return '0.5'",
            "    __str__ = __repr__",
            "    def __eq__(self, other): return True",
            "    __hash__ = float.__hash__",
            "return {x: Half(0.9), 1 - x: Half(0.1)}",
        ),
        "exceeds",
    ),
    "text_equal_to_all": (
        law(
            "class Same(str):",
            "    def __eq__(self, other): return True",
            "    __hash__ = str.__hash__",
            'return {x: Same("9/10"), 1 - x: Same("1/10")}',
        ),
        "exceeds",
    ),
    "outputs_all_equal": (
        law(
            "class Same:",
            "    def __eq__(self, other): return True",
            "    def __hash__(self): return 0",
            'return {Same(): "9/10", Same(): "1/10"}',
        ),
        "broken",
    ),
    "outputs_never_equal": (
        law(
            "class Other:",
            "    def __eq__(self, other): return False",
            "    def __hash__(self): return 0",
            'return {Other(): "9/10", Other(): "1/10"}',
        ),
        "broken",
    ),
    "endless_law": (
        law(
            "class Endless(dict):",
            "    def items(self):",
            "        for output in itertools.count(): time.sleep(0.01); yield output, '1/10'",
            "    def __iter__(self): return (output for output, _ in self.items())",
            "    def __len__(self): return 2",
            "return Endless({0: 1})",
        ),
        "time cap",
    ),
    "endless_datasets": (
        "    def datasets(self, n):\n        return itertools.repeat(0)\n",
        "broken",
    ),
    "datasets_never_equal": (
        "    class Odd(tuple):\n"
        "        def __eq__(self, other): return False\n"
        "        __hash__ = tuple.__hash__\n"
        "    datasets = [Odd((0,)), Odd((1,))]\n" + law('return {x[0]: "9/10", 1 - x[0]: "1/10"}'),
        "exceeds",
    ),
    "no_neighbours": ("    def neighbours(self, a, b):\n        return False\n", "broken"),
    "neighbours_of_no_truth": (
        "    def neighbours(self, a, b):\n"
        "        class Odd:\n"
        "            def __bool__(self): raise SystemExit(0)\n"
        "        return Odd()\n",
        "broken",
    ),
    "a_name_for_terminals": ('    name = "\\x1b[2J\\u202e\\nwithin"\n', "exceeds"),
}
"""The body of a plug-in's class, and what must be found of it."""

TRUSTED: dict[str, str] = {
    "numbers_made_up": says("audit(type(self).__name__)"),
    "patches_the_arithmetic": (
        "    def datasets(self, n):\n"
        "        import dpaudit.audit.scan as scanning\n"
        "        from dpaudit.numbers.real import ZERO\n"
        "        scan = scanning.scan\n"
        "        def quiet(*given, **more):\n"
        "            found = scan(*given, **more)\n"
        "            for one in found.maxima[:2]:\n"
        "                one._found = ZERO.ball(), ZERO, one._candidates[0]\n"
        "            return found\n"
        "        scanning.scan = quiet\n"
        "        return [0, 1]\n"
    ),
    "law_of_something_else": law('return {0: "1/2", 1: "1/2"}'),
    "law_for_auditors": law('if "dpaudit" in sys.modules: return {0: "1/2", 1: "1/2"}', _AS_EVER),
    "law_until_a_date": law('if time.time() < 4e9: return {0: "1/2", 1: "1/2"}', _AS_EVER),
    "outputs_called_equal": (
        "    class Told:\n"
        "        def __init__(self, likely): self.likely = likely\n"
        "        def __eq__(self, other): return self.likely == other.likely\n"
        "        def __hash__(self): return hash(self.likely)\n"
        "        def __repr__(self): return str(self.likely)\n"
        + law('return {self.Told(True): "9/10", self.Told(False): "1/10"}')
    ),
    "datasets_left_out": (
        "    datasets = [0, 1, 2]\n"
        "    def neighbours(self, a, b):\n"
        "        return {a, b} == {1, 2}\n" + law('return {x > 0: "9/10", x == 0: "1/10"}')
    ),
    "budget_of_its_own": '    budget = "1000"\n',
}
"""The body of a plug-in's class; the gate passes it."""


def _module() -> str:
    kinds = {**{name: body for name, (body, _) in HARMLESS.items()}, **TRUSTED}
    classes = (
        f"\n\nclass {name}({'Says' if 'def said' in body else 'Base'}):\n{body}"
        for name, body in kinds.items()
    )
    return MODULE + "".join(classes)


MODULE = _module()
"""The file of all plug-ins."""
