"""What the functions of all questions share: subjects, plans, finished reports."""

from dpaudit.api.plans import make_plan, mechanism, mechanisms

__all__ = ["make_plan", "mechanism", "mechanisms"]
