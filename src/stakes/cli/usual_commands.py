"""Commands and options of other tools, and what to type here."""

from __future__ import annotations

EVAL = "stakes eval FILE --label COLUMN --positive VALUE --scores A,B --cost fn=10 fp=1"
BY_TIME = (
    "stakes monitor FILE --time COLUMN --label COLUMN --positive VALUE --scores A --cost fn=10 fp=1"
)
TWO_FILES = "\n".join(
    [
        *(f"stakes eval {month.upper()}.csv --label COLUMN --positive VALUE --scores A "
          f"--cost fn=10 fp=1 --save {month}.json" for month in ("jan", "feb")),
        "stakes monitor jan.json feb.json --positive VALUE --cost fn=10 fp=1",
    ]
)  # fmt: skip
SQL = "stakes rule rule.json --sql bigquery"
#: Commands that other tools have, and what to type here.
COMMANDS = (
    ("evaluate score cost", EVAL),
    (
        "metrics metric",
        "in Python, stakes.metrics.f1(y_true, decisions) and others\n"
        "what one rewards:  stakes audit f1 --cost fn=10 fp=1 --prevalence 5%\n"
        f"the cost, and the table of errors:  {EVAL}",
    ),
    (
        "compare",
        f"models on the same cases:  {EVAL}\nmonths in one file:        {BY_TIME}\n"
        f"two files:\n{TWO_FILES}",
    ),
    ("watch drift", f"months in one file:  {BY_TIME}\ntwo files:\n{TWO_FILES}"),
    ("sql export", SQL),
    ("capacity limit", f"{EVAL} --capacity VALUE=200"),
    ("slice slices segment", f"{EVAL} --by COLUMN"),
    ("champion challenger switch", f"{EVAL} --baseline A --switching-cost 20000"),
    (
        "plot report html",
        f"a page:    {EVAL} --html page.html\n"
        'an image:  in Python, ev.plot().figure.savefig("cost.png")',
    ),
    (
        "threshold thresholds cutoff",
        "of costs alone, in Python:  "
        'stakes.Application({"fn": 10, "fp": 1}).posterior_threshold\n'
        f"with a file, under `act when`:  {EVAL}",
    ),
    (
        "elicit question questions",
        "stakes ask FILE --label COLUMN --positive VALUE --scores A,B -o costs.toml\n"
        "stakes ask --prevalence 5% -o costs.toml",
    ),
    (
        "sample-size samplesize power",
        "in Python, from the cases so far:\n"
        "pilot = stakes.ConfusionMatrix.from_decisions(y_true, decisions)\n"
        'stakes.uncertainty.cases_needed(pilot, costs={"fn": 10, "fp": 1}, width=0.1)',
    ),
    (
        "predict apply",
        f"decisions on new cases:                 {EVAL} --rule rule.json\n"
        "                                        "
        "stakes decide NEW.csv --rule rule.json -o out.csv\n"
        "decisions of probabilities, in Python:  stakes.bayes_decisions(p, "
        'costs={"fn": 10, "fp": 1})\n'
        "calibrated probabilities of new cases:  "
        "stakes calibrate --apply CAL.json NEW.csv -o out.csv",
    ),
)
#: Options that other tools have, and what to say here: the first that the command has.
OPTIONS = (
    ("format", "--json"),
    ("l y target truth y-true outcome", "--label COLUMN"),
    ("out output o", "-o cal.json  and then  stakes calibrate --apply cal.json FILE -o out.csv"),
    ("out output o", "-o FILE"),
    ("out output o report page", "--html PAGE"),
    (
        "threshold cutoff",
        "--decisions COLUMN   where a column holds what a threshold of yours decides; "
        "that of the costs is found by itself",
    ),
    (
        "abstain abstention reject",
        "--costs costs.toml   in place of --cost, with a third decision in that file:\n"
        '  outcomes = ["no", "yes"]\n'
        '  decisions = ["no", "yes", "ask"]\n'
        "  cost = {no = {yes = 4, ask = 2}, yes = {no = 40, ask = 2}}",
    ),
    ("method calibrator", "--kind KIND"),
    (
        "pred preds prediction predictions y-pred",
        "--decisions A,B   for hard decisions, --scores A,B for probabilities",
    ),
    ("s model models p prob probs y-prob y-score", "--scores A,B"),
    ("champion current incumbent", "--baseline A"),
    ("save-rule export-rule", "--rule rule.json"),
    ("scores score column", "--columns p"),
    ("cost-matrix costmatrix cost-file", "--costs FILE"),
    ("cost costs", "--rule rule.json   the costs are in the rule"),
    ("cost fn fp", f"--template DATA.csv --label COLUMN -o costs.toml   or of cases:\n  {EVAL}"),
    ("fn fp cost-fn cost-fp", "--cost fn=10 fp=1"),
    ("group-by groupby slice slices segment", "--by COLUMN"),
    ("sample-weight", "--weight COLUMN"),
    ("pos pos-label positive-class", "--positive VALUE"),
    ("confidence alpha ci", "--level 0.95"),
    ("prior priors base-rate class-mix shares", "--prevalence 2%"),
    ("case-cost case-costs amounts", "--cost fn=amount fp=4   amount stands for a column"),
    ("random-state", "--seed 0"),
    ("currency", "--unit EUR"),
)
