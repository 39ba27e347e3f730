"""What is at stake: cost matrices, priors, and the forms they are kept in."""

from stakes.application.application import Application, as_application
from stakes.application.case_costs import CaseCosts
from stakes.application.cost_matrix import CostMatrix

__all__ = ["Application", "CaseCosts", "CostMatrix", "as_application"]
