"""`stakes rule`: what a saved rule says, and the same as SQL."""

from __future__ import annotations

import argparse

from stakes.cli.options import RULE_WRITER, add_options
from stakes.cli.problems import EXIT_OK, printing_is_the_output, written_by

FIRST_CALL = (
    "stakes eval may.csv --label churned --positive yes --scores gbm_p --cost fn=40 fp=4 "
    "--rule rule.json\nstakes rule rule.json --sql postgres"
)
EXAMPLES = """examples:
  stakes rule rule.json
  stakes rule rule.json --sql postgres
  stakes rule rule.json --sql bigquery --columns score

The rule comes from  stakes eval ... --rule rule.json. The SQL is one expression, to put after
SELECT: it gives the name of the decision, and null where a row has no score.
"""
_OPTIONS = {
    "--sql DIALECT": "print the decision as SQL: duckdb, spark, postgres, sqlite, bigquery, "
    "snowflake, redshift, tsql or mysql",
    "--columns A,B": "the columns of the scores in that table: one, or one for each outcome in "
    "the order of the rule",
    "--json": "print everything, or the SQL, as JSON",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="RULE.json", help="a rule saved by  stakes eval ... --rule")
    add_options(parser, _OPTIONS)


def run(args: argparse.Namespace) -> int:
    """Read the rule and print it."""
    from stakes.cli.columns_typed import columns_typed
    from stakes.cli.show.terminal import print_json, print_wrapped
    from stakes.exceptions import DataError
    from stakes.messages.audience import shown
    from stakes.messages.quantities import percent
    from stakes.rules import load_rule
    from stakes.rules.rule_sql import read_columns
    from stakes.rules.rule_words import model_in_words

    with written_by(RULE_WRITER):
        rule = load_rule(args.file)
    if args.sql:
        sql = rule.to_sql(args.sql, columns=columns_typed(args.columns, rule, None) or None)
        printing_is_the_output()
        print_json({"sql": sql}) if args.json else print(sql)
        return EXIT_OK
    if args.columns:
        raise DataError("--columns is about SQL, and none is asked for.", hint="--sql duckdb")
    if args.json:
        print_json(rule.record())
        return EXIT_OK
    model = model_in_words(rule)
    whose = "" if model is None else f"{shown(model)}: "
    print_wrapped(f"{whose}{rule}", rest="  ")
    app = rule.application
    told = {
        "decisions": ", ".join(map(str, rule.decisions)),
        "columns": None if rule.columns is None else ", ".join(rule.columns),
        "costs from": ", ".join(read_columns(rule, ())),
        "costs in": app.unit,
        "learnt on scores": rule.score_range and "{:.3g} to {:.3g}".format(*rule.score_range),
    }
    if app.priors is not None:
        pairs = zip(app.classes, app.priors.tolist(), strict=True)
        told["class mix"] = ", ".join(f"'{name}' {percent(share)}" for name, share in pairs)
    for name, said in told.items():
        if said:
            print_wrapped(f"{name}: {said}", rest="  ")
    return EXIT_OK
