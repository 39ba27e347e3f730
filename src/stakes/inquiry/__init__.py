"""From what was asked to an answer: the cases, the models and the costs, near or far."""
