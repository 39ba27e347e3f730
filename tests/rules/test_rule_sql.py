"""A rule as SQL decides every row as Python does, in real databases."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from rule_cases import APP, PETS, by_arithmetic, one_cut, per_case, posteriors_for, scores_for, two

from stakes import Application, CostMatrix, DecisionRule
from stakes.application import CaseCosts
from stakes.calibration import Affine, Gaussian, Isotonic
from stakes.exceptions import CostError, DataError
from stakes.posteriors import Posteriors
from stakes.rules.rule_sql import SQL_DIALECTS
from stakes.rules.sql_text import DIALECTS

ONE_CUT, SUMS = one_cut(), by_arithmetic()
TRANSLATED = ("bigquery", "snowflake", "redshift", "tsql", "mysql")
ROWS = 1000


def in_duckdb(sql, columns):
    duckdb = pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    con = duckdb.connect()
    con.register("t", arrow.table(columns))
    return [row[0] for row in con.execute(f"SELECT {sql} FROM t").fetchall()]


def in_sqlite(sql, columns):
    con = sqlite3.connect(":memory:")
    names = ", ".join(f'"{name}" REAL' for name in columns)
    con.execute(f"CREATE TABLE t ({names})")
    marks = ", ".join("?" * len(columns))
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
    con.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    try:
        return [row[0] for row in con.execute(f"SELECT {sql} FROM t").fetchall()]
    except sqlite3.OperationalError as error:
        if "no such function" in str(error):
            pytest.skip("this SQLite was built without exp, ln and power")
        raise


def in_postgres(server, sql, columns):
    kinds = dict.fromkeys(columns, "double precision")
    if any(np.asarray(values).dtype == np.float32 for values in columns.values()):
        kinds = dict.fromkeys(columns, "real")
    cells = [np.asarray(values).tolist() for values in columns.values()]
    server.load("t", kinds, list(zip(*cells, strict=True)))
    return [row[0] for row in server.rows(f"SELECT {sql} FROM t;")]


def names(rule, codes):
    return [rule.decisions[j] for j in codes]


def differing(rule, got, scores, costs=None):
    """How many rows are decided otherwise; each must tie up to rounding."""
    wanted = names(rule, rule.positions(scores, costs=costs))
    other = [k for k, (a, b) in enumerate(zip(got, wanted, strict=True)) if str(a) != str(b)]
    values = rule.application.costs.values
    for k in other:
        if rule.calibrator is not None:
            p = rule.calibrator.posteriors(Posteriors(scores[k : k + 1]))[0]
        else:
            p = np.exp(scores[k] - scores[k].max()) if rule.scores == "log_odds" else scores[k]
        p = p * [float(f) for f in rule.factors]
        a, b = (float(p @ values[:, list(map(str, rule.decisions)).index(str(x))])
                for x in (got[k], wanted[k]))  # fmt: skip
        assert abs(a - b) <= 1e-9 * float(np.abs(values.T @ p).sum())
    return len(other)


@pytest.mark.parametrize("name", ONE_CUT)
def test_one_cut_in_duckdb(name):
    rule = ONE_CUT[name]
    scores = scores_for(rule, ROWS)
    got = in_duckdb(rule.to_sql("duckdb"), {"p": scores})
    assert got == names(rule, rule.positions(scores))


@pytest.mark.parametrize("name", ONE_CUT)
def test_one_cut_in_sqlite(name):
    rule = ONE_CUT[name]
    scores = scores_for(rule, ROWS)
    assert in_sqlite(rule.to_sql("sqlite"), {"p": scores}) == names(rule, rule.positions(scores))


def test_one_cut_in_postgres(postgres):
    for rule in ONE_CUT.values():
        scores = scores_for(rule, ROWS)
        got = in_postgres(postgres, rule.to_sql("postgres"), {"p": scores})
        assert got == [str(name) for name in names(rule, rule.positions(scores))]


def test_sums_in_postgres(postgres):
    for name, rule in SUMS.items():
        rows = np.log(posteriors_for(500) + 1e-9) if "logits" in name else posteriors_for(500)
        got = in_postgres(postgres, rule.to_sql("postgres"), dict(zip("abc", rows.T, strict=True)))
        assert differing(rule, got, rows) <= 2


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
@pytest.mark.parametrize("name", SUMS)
def test_sums(name, engine):
    rule = SUMS[name]
    rows = np.log(posteriors_for(ROWS) + 1e-9) if "logits" in name else posteriors_for(ROWS)
    dialect = "duckdb" if engine is in_duckdb else "sqlite"
    got = engine(rule.to_sql(dialect), dict(zip("abc", rows.T, strict=True)))
    assert differing(rule, got, rows) <= 2


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
def test_costs_per_case(engine):
    rule, rng = per_case(), np.random.default_rng(2)
    p, amount = rng.random(ROWS), rng.integers(1, 100, ROWS).astype(float)
    dialect = "duckdb" if engine is in_duckdb else "sqlite"
    got = engine(rule.to_sql(dialect), {"p": p, "amount": amount})
    act = (1 - p) * (2 + 0.05 * amount) + p * 1 < p * 0.75 * amount
    assert got == [rule.decisions[int(a)] for a in act]
    zero = np.zeros(ROWS)
    costs = CaseCosts(
        np.stack([[zero, 2 + 0.05 * amount], [0.75 * amount, zero + 1]]).transpose(2, 0, 1)
    )
    assert got == names(rule, rule.positions(p, costs=costs))


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_other_dialects_are_read_back_and_run(dialect):
    sqlglot = pytest.importorskip("sqlglot", reason="pip install 'stakes[sql]'")
    for rule in ONE_CUT.values():
        text = rule.to_sql(dialect)
        again = sqlglot.parse_one(text, read=dialect).sql(dialect="duckdb")
        scores = scores_for(rule, 100)
        assert in_duckdb(again, {"p": scores}) == names(rule, rule.positions(scores))
    for name, rule in SUMS.items():
        rows = np.log(posteriors_for(100) + 1e-9) if "logits" in name else posteriors_for(100)
        again = sqlglot.parse_one(rule.to_sql(dialect), read=dialect).sql(dialect="duckdb")
        got = in_duckdb(again, dict(zip("abc", rows.T, strict=True)))
        assert differing(rule, got, rows) <= 2


@pytest.mark.parametrize("name", [*ONE_CUT, *SUMS])
def test_nothing_gives_null(name):
    rule = {**ONE_CUT, **SUMS}[name]
    empty = dict.fromkeys("abc" if name in SUMS else "p")
    for engine, dialect in ((in_sqlite, "sqlite"), (in_duckdb, "duckdb")):
        columns = {key: np.array([np.nan]) for key in empty}
        assert engine(rule.to_sql(dialect), columns) == [None]
    duckdb = pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    made = ", ".join(f'CAST(NULL AS DOUBLE) AS "{key}"' for key in empty)
    assert duckdb.sql(f"SELECT {rule.to_sql('duckdb')} FROM (SELECT {made})").fetchall() == [
        (None,)
    ]


def test_what_is_no_probability_gives_null():
    rule = ONE_CUT["as it is"]
    assert in_sqlite(rule.to_sql("sqlite"), {"p": [-0.1, 1.1]}) == [None, None]
    rule = SUMS["pets"]
    rows = {"a": [0.5, -0.1], "b": [0.5, 0.6], "c": [0.5, 0.5]}
    assert in_sqlite(rule.to_sql("sqlite"), rows) == [None, None]


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_names_cannot_break_out(dialect):
    sqlglot = pytest.importorskip("sqlglot", reason="pip install 'stakes[sql]'")
    bad = "p\"; DROP TABLE t; -- `]'"
    text = ONE_CUT["as it is"].to_sql(dialect, columns=bad)
    read = sqlglot.parse_one(text, read=dialect)
    assert {each.name for each in read.find_all(sqlglot.exp.Column)} == {bad}
    literals = {each.name for each in read.find_all(sqlglot.exp.Literal) if each.is_string}
    assert literals - {"integer", "real"} == {"wait", "it's"}  # names of types in SQLite


def test_the_shorter_of_two_comparisons_is_written():
    y = np.repeat([0, 1, 0, 1, 0, 1], [9, 1, 5, 5, 1, 9])
    p = np.repeat([0.1, 0.4, 0.8], 10)
    calibrator = Isotonic(misleading=0).fit(Posteriors(p), y)
    late = Application(CostMatrix([[1, 0], [0, 1]], classes=["n", "y"], decisions=["act", "wait"]))
    assert DecisionRule(late, calibrator=calibrator, columns="p").to_sql() == (
        'CASE WHEN "p" >= 0 AND "p" < 0.4e0 THEN \'wait\' WHEN "p" >= 0.4e0 AND "p" <= 1 '
        "THEN 'act' END"
    )


def test_columns_by_class_and_refusals():
    rule = SUMS["pets"]
    told = {"fox": "c", "cat": "a", "dog": "b"}
    assert rule.to_sql(columns=told) == rule.to_sql()
    with pytest.raises(DataError, match="which columns"):
        DecisionRule(APP).to_sql()
    with pytest.raises(DataError, match="one column for each"):
        rule.to_sql(columns="p")
    with pytest.raises(DataError, match="no SQL for 'oracle'"):
        rule.to_sql("oracle")
    with pytest.raises(CostError, match="taken already"):
        DecisionRule(APP, scores="decision", columns="d").to_sql()
    with pytest.raises(CostError, match="by which columns its costs differ"):
        DecisionRule(APP, per_case=True, columns="p").to_sql()
    y, p = two()
    bumpy = Gaussian(variances="unequal").fit(Posteriors(p), y)
    with pytest.raises(CostError, match="no formula"):
        DecisionRule(APP, calibrator=bumpy, columns="p").to_sql()
    falling = Affine(bound="data").fit(Posteriors(1 - p), y)
    text = DecisionRule(APP, calibrator=falling, columns="p").to_sql()
    assert text.index("'wait'") > text.index("'it''s'")
    assert PETS.decisions


def test_every_double_is_written_exactly_for_sqlite():
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.random(3000), rng.normal(0, 50, 3000), [0.1 + 0.2, 1e-5, 3.0]])
    texts = [DIALECTS["sqlite"].literal(x).text for x in numbers.tolist()]
    con = sqlite3.connect(":memory:")
    got = [con.execute(f"SELECT {text}").fetchone()[0] for text in texts]
    assert got == numbers.tolist()


YES = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


@pytest.mark.parametrize(("engine", "dialect"), [(in_duckdb, "duckdb"), (in_sqlite, "sqlite")])
def test_both_columns_of_a_rule_must_be_probabilities(engine, dialect):
    rule = DecisionRule(Application(YES), columns=["a", "b"])
    rows = {"a": [0.6, 7.0, -1.0, 0.4, 0.99, np.nan], "b": [0.6, 0.01, 0.5, 0.6, 0.01, 0.5]}
    rows = {name: np.array(cells) for name, cells in rows.items()}
    assert engine(rule.to_sql(dialect), rows) == [None, None, None, "yes", "no", None]


@pytest.mark.parametrize(("engine", "dialect"), [(in_duckdb, "duckdb"), (in_sqlite, "sqlite")])
def test_costs_that_no_number_holds_give_null(engine, dialect):
    rule = DecisionRule(
        Application(YES),
        per_case=True,
        case_costs=(("0", "5"), ("amount / fee", "0")),
        columns="p",
    )
    rows = {
        "p": np.full(5, 0.9),
        "amount": np.array([10.0, np.inf, 0.0, 10.0, 1e300]),
        "fee": np.array([1.0, 1.0, 0.0, 0.0, 1e-300]),
    }
    assert engine(rule.to_sql(dialect), rows) == ["yes", None, None, None, None]


@pytest.mark.parametrize(("engine", "dialect"), [(in_duckdb, "duckdb"), (in_sqlite, "sqlite")])
def test_only_classes_with_a_prior_of_0_give_null(engine, dialect):
    rule = DecisionRule(Application(YES, priors=[1, 0]), from_priors=[0.5, 0.5], columns="p")
    assert engine(rule.to_sql(dialect), {"p": np.array([0.5, 1.0])}) == ["no", None]
    pets = Application(PETS.costs, priors=[0.5, 0.5, 0])
    rule = DecisionRule(pets, from_priors=[0.4, 0.4, 0.2], columns=["a", "b", "c"])
    rows = {"a": np.array([0.0, 0.9]), "b": np.array([0.0, 0.1]), "c": np.array([1.0, 0.0])}
    assert engine(rule.to_sql(dialect), rows) == [None, "cat"]


def test_decisions_of_several_types_are_all_text():
    app = Application(CostMatrix([[0, 1], [10, 0]]).with_abstention(0.4))
    rule = DecisionRule(app, columns="p")
    rows = {"p": np.array([0.01, 0.2, 0.9])}
    assert in_duckdb(rule.to_sql(), rows) == ["0", "abstain", "1"]


def test_truth_values_are_bits_for_sql_server():
    pytest.importorskip("sqlglot", reason="pip install 'stakes[sql]'")
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=[False, True]))
    text = DecisionRule(app, columns="p").to_sql("tsql")
    assert "THEN CAST(1 AS BIT)" in text
    assert "(1 = 1)" not in text


def test_an_unknown_column_is_an_error_in_sqlite():
    rule = DecisionRule(Application(YES), scores="log_odds", columns="p")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(rule.to_sql("sqlite"), {"score": [-9.0, 9.0]})
    assert in_sqlite(rule.to_sql("sqlite", columns="a`b"), {"a`b": [9.0]}) == ["yes"]


@pytest.mark.parametrize("kind", ["TEXT", "REAL", ""])
def test_text_gives_null_in_sqlite(kind):
    app = Application(YES, priors=[0.5, 0.5])
    costs = (("0", "5"), ("0.75*amount", "0"))
    rules = [
        DecisionRule(app, columns="p"),
        DecisionRule(app, scores="log_odds", columns="p"),
        DecisionRule(app, per_case=True, case_costs=costs, columns="p"),
        DecisionRule(app, columns=("rest", "p")),
    ]
    con = sqlite3.connect(":memory:")
    con.execute(f"CREATE TABLE t (p {kind}, rest {kind}, amount REAL)")
    con.executemany("INSERT INTO t VALUES (?, ?, 100)", [("", 1.0), ("abc", 1.0), ("0x1", 1.0)])
    for rule in rules:
        got = con.execute(f"SELECT {rule.to_sql('sqlite')} FROM t").fetchall()
        assert got == [(None,)] * 3, rule
    con.execute("DELETE FROM t")
    con.execute("INSERT INTO t VALUES ('0.5e-9', '0.9999999995', 100)")
    (told,) = con.execute(f"SELECT {rules[0].to_sql('sqlite')} FROM t").fetchone()
    assert told == ("no" if kind == "REAL" else None)  # letters would say yes


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
def test_a_cut_on_two_columns_of_log_odds(engine):
    rule = DecisionRule(APP, scores="log_odds", cut=0.3, columns=["a", "b"])
    rows = np.random.default_rng(7).normal(0, 2, (300, 2))
    wanted = [rule.decisions[int(b - a > 0.3)] for a, b in rows.tolist()]
    assert rule.decide(rows).tolist() == wanted
    dialect = "duckdb" if engine is in_duckdb else "sqlite"
    assert engine(rule.to_sql(dialect), {"a": rows[:, 0], "b": rows[:, 1]}) == wanted
