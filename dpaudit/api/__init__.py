"""Subjects, plans and finished reports, which the functions of all questions share."""

from dpaudit.api.plans import make_plan, mechanism, mechanisms

__all__ = ["make_plan", "mechanism", "mechanisms"]
