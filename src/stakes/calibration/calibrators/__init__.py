"""The calibrators, one family per module, and the choice between them."""
