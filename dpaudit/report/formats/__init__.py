"""Forms that only some results have, one a file; :mod:`dpaudit.report.view` names them."""
