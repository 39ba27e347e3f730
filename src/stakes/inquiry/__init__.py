"""From what was asked to an answer: the cases, the models and the costs, near or far."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.inquiry.answers import answer as answer
    from stakes.inquiry.inquiry import Inquiry as Inquiry
