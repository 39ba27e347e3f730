"""Judge classifiers, and make their decisions, by what the decisions cost.

The nouns, in the order in which they are met:

``CostMatrix``
    What each decision (column) costs for each true class (row). Lower is better.
``Application``
    What is at stake: a CostMatrix, the class priors where the system will run, a unit and
    a volume.
``Posteriors``
    What the classifier says, with natural logarithms and nothing guessed.
``bayes_decisions``
    What we then do: the decision of least expected cost for each case.
``ConfusionMatrix``, ``ScoreCounts``
    What happened: small summaries of the rows that add with ``+``. Everything below works
    on them, so the rows may live anywhere.
``expected_cost``, ``normalized_expected_cost``
    What it cost. 0 is perfect; a normalised cost of 1 is what the best decision that ignores
    the input would cost.

``DecisionRule``
    Costs, priors, calibration and cuts of one model: to apply, move, print and save.
``evaluate``
    All of it at once: models side by side, how sure that is, and a verdict.

``stakes.metrics`` holds every other number, ``stakes.curves`` the data of every curve,
``stakes.calibration`` makes posteriors mean what they say, ``stakes.uncertainty`` tells how
sure we are and ``stakes.audit`` what a metric really rewards. On the command line:
``stakes --help``.
"""

from stakes._lazy import LoadedOnUse

__version__ = "0.1.0.dev0"

with LoadedOnUse(globals()):
    from stakes import application as application
    from stakes import audit as audit
    from stakes import calibration as calibration
    from stakes import curves as curves
    from stakes import decisions as decisions
    from stakes import demonstration as demonstration
    from stakes import elicitation as elicitation
    from stakes import engines as engines
    from stakes import estimation as estimation
    from stakes import evaluation as evaluation
    from stakes import exceptions as exceptions
    from stakes import inquiry as inquiry
    from stakes import integrations as integrations
    from stakes import metrics as metrics
    from stakes import monitoring as monitoring
    from stakes import plots as plots
    from stakes import posteriors as posteriors
    from stakes import report as report
    from stakes import resources as resources
    from stakes import rules as rules
    from stakes import sklearn as sklearn
    from stakes import sources as sources
    from stakes import summaries as summaries
    from stakes import testing as testing
    from stakes import torch as torch
    from stakes import uncertainty as uncertainty
    from stakes.application import Application as Application
    from stakes.application import CaseCosts as CaseCosts
    from stakes.application import CostMatrix as CostMatrix
    from stakes.decisions import bayes_decisions as bayes_decisions
    from stakes.decisions import decision_intervals as decision_intervals
    from stakes.evaluation import evaluate as evaluate
    from stakes.evaluation import evaluate_frame as evaluate_frame
    from stakes.inquiry import Inquiry as Inquiry
    from stakes.metrics import expected_cost as expected_cost
    from stakes.metrics import normalized_expected_cost as normalized_expected_cost
    from stakes.posteriors import Posteriors as Posteriors
    from stakes.rules import DecisionRule as DecisionRule
    from stakes.rules import load_rule as load_rule
    from stakes.summaries import ConfusionMatrix as ConfusionMatrix
    from stakes.summaries import CostTally as CostTally
    from stakes.summaries import GroupedCounts as GroupedCounts
    from stakes.summaries import PairedCounts as PairedCounts
    from stakes.summaries import ScoreBins as ScoreBins
    from stakes.summaries import ScoreCounts as ScoreCounts
