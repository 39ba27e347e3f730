"""What `--json` prints is the record of the evaluation, and follows the published schema."""

import pytest

from stakes.report import schema

WORDS = ("--scores", "p,q", "--cost", "fn=10", "fp=1", "--json")


def table(n=120):
    rows = (
        f"{int(k % 5 == 0)},{0.95 if k % 5 == 0 and k % 3 else 0.05},{k % 7 / 7:.3f},{'ab'[k % 2]}"
        for k in range(n)
    )
    return "y,p,q,part\n" + "\n".join(rows) + "\n"


@pytest.fixture
def checked():
    jsonschema = pytest.importorskip(
        "jsonschema", reason="needs a validator: pip install jsonschema"
    )
    return jsonschema.Draft202012Validator(schema()).validate


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--by", "part", "--volume", "1000/yr", "--unit", "EUR"),
        ("--prevalence", "2%..5%"),
        ("--prevalence", "2%", "--flip", "q"),
    ],
)
def test_the_record_follows_the_schema(run, write, checked, more):
    ran = run("eval", write("t.csv", table()), "--label", "y", *WORDS, *more)
    assert ran.code == 0, ran.err
    checked(ran.found)
    assert (ran.found["source"], ran.found["positive"]) == ("t.csv", "1")
    assert ran.found["facts"]["source"] == "t.csv"


def test_a_record_of_too_few_cases_follows_it_too(run, write, checked):
    ran = run("eval", write("t.csv", table(20)), "--label", "y", *WORDS)
    assert ran.code == 2
    checked(ran.found)
    assert ran.found["verdict"]["sentence"] == "Cannot say: only 4 cases of '1'."


def test_notes_and_warnings_have_codes(run, write):
    rows = table().replace("0.05,", ",", 1)
    ran = run("eval", write("t.csv", rows), "--label", "y", "--missing", "drop", *WORDS)
    assert [note["code"] for note in ran.found["notes"]] == ["shares-of-file", "zeros-softened"]
    (warning,) = ran.found["warnings"]
    assert (warning["code"], warning["severity"]) == ("gaps-dropped", "warning")
    assert "1 row of p is empty" in warning["text"]
    assert {"code", "severity", "text"} == set(ran.found["verdict"]["remarks"][0])
