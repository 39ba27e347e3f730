from __future__ import annotations

import gzip

import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.exceptions import DataError, FormatError
from stakes.sources.count_files import read_confusion
from stakes.uncertainty import interval


@pytest.mark.parametrize(
    "text",
    [
        "truth,no,yes\nno,90,5\nyes,1,4\n",
        "decision,no,yes\nno,90,1\nyes,5,4\n",
        "\ufeffTruth;no;yes\r\nno;90;5\r\nyes;1;4\r\n",
        "truth\tno\tyes\nno\t90\t5\n\nyes\t1\t4\n",
    ],
    ids=["truth", "decision", "semicolons", "tabs"],
)
def test_both_orientations_and_every_delimiter(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    matrix = read_confusion(str(path))
    assert (matrix.classes, matrix.decisions) == (("no", "yes"), ("no", "yes"))
    assert matrix.counts.tolist() == [[90, 5], [1, 4]]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", FormatError, "a.csv holds no table."),
        ("truth,no,yes\nno,90\nyes,1,4\n", FormatError,
         "a.csv: row 'no' has 1 counts for 2 columns."),
        ("truth,no,yes\nno,90,x\nyes,1,4\n", FormatError,
         "a.csv: row 'no' holds something that is not a number: 90, x."),
        ("truth,no,yes\nno,90,-1\nyes,1,4\n", DataError,
         "`counts` must be finite and not negative; row 0, column 1 is -1 (1 of 4 fail)."),
    ],
)  # fmt: skip
def test_refusals(tmp_path, text, error, said):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error) as caught:
        read_confusion(str(path))
    assert caught.value.message == said


def test_decisions_that_were_never_taken_count_zero(run, write):
    write("c.csv", "truth,no,yes,ask\nno,0,1,0.5\nyes,10,0,0.5\n")
    write("a.csv", "truth,yes,no\nyes,40,10\nno,5,95\n")
    ran = run("eval", "--confusion", "a.csv", "--costs", "c.csv", "--json")
    assert ran.found["models"][0]["counts"] == [[95, 5, 0], [10, 40, 0]]


def test_names_that_the_costs_do_not_know(run, write):
    write("c.csv", "truth,no,yes\nno,0,1\nyes,10,0\n")
    write("a.csv", "truth,no,maybe\nno,95,5\nyes,10,40\n")
    assert run("eval", "--confusion", "a.csv", "--costs", "c.csv").err == (
        "error: a.csv has outcomes 'no', 'yes' and decisions 'no', 'maybe'; the costs have 'no', "
        "'yes' and 'no', 'yes'.\n"
    )


def test_tables_with_other_shares_are_warned_of(run, write):
    write("a.csv", "truth,0,1\n0,90,10\n1,10,40\n")
    write("b.csv", "truth,0,1\n0,90,10\n1,20,80\n")
    ran = run("eval", "--confusion", "a.csv,b.csv", "--cost", "error=1")
    assert ran.err == (
        "warning: b has other shares of the outcomes than a. All models are evaluated at the "
        "shares of a; change that with --prevalence.\n"
    )
    # b: 10 % false alarms and 20 % misses at the shares of a, 2/3 and 1/3
    found = run("eval", "--confusion", "a.csv,b.csv", "--cost", "error=1", "--json").found
    costs = {model["name"]: model["cost"] for model in found["models"]}
    assert costs["b"] == pytest.approx(2 / 3 * 0.1 + 1 / 3 * 0.2)
    sure = interval(
        ConfusionMatrix([[90, 10], [20, 80]]),
        "normalized_expected_cost",
        application=Application(CostMatrix.zero_one(2), priors=[2 / 3, 1 / 3]),
    )
    by_name = {model["name"]: model["interval"] for model in found["models"]}
    assert by_name["b"] == pytest.approx([sure.low, sure.high])


def test_gz_is_read_and_other_bytes_are_refused(tmp_path):
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"truth,no,yes\nno,90,5\nyes,1,4\n"))
    assert read_confusion(str(packed)).counts.tolist() == [[90, 5], [1, 4]]
    strange = tmp_path / "a.csv"
    strange.write_bytes(bytes(range(256)))
    with pytest.raises(FormatError, match="holds bytes that are not text"):
        read_confusion(str(strange))
    strange.write_bytes("truth,né,yes\nné,1,2\nyes,3,4\n".encode("latin-1"))
    with pytest.raises(FormatError, match="line 1 is not UTF-8 text"):
        read_confusion(str(strange))


class TestJson:
    TRUTH = '{"truth": {"no": {"no": 90, "yes": 5}, "yes": {"no": 1, "yes": 4}}}'
    DECISION = '{"decision": {"no": {"no": 90, "yes": 1}, "yes": {"no": 5, "yes": 4}}}'
    TABLE = '{"classes": ["no", "yes"], "decisions": ["no", "yes"], "counts": [[90, 5], [1, 4]]}'

    @pytest.mark.parametrize("text", [TRUTH, DECISION, TABLE])
    def test_either_side_outside(self, write, tmp_path, text):
        write("c.json", text)
        found = read_confusion(str(tmp_path / "c.json"))
        assert found.counts.tolist() == [[90, 5], [1, 4]]
        assert found.classes == found.decisions == ("no", "yes")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"no": {"no": 90}}', "which side is the truth"),
            ('{"truth": {"no": 3}}', "which side is the truth"),
            ('{"truth": {"no": {"no": "many"}}}', "not a number"),
            ('{"truth": ', "not valid JSON"),
        ],
    )
    def test_problems(self, write, tmp_path, text, message):
        write("c.json", text)
        with pytest.raises(FormatError, match=message):
            read_confusion(str(tmp_path / "c.json"))


def test_a_file_of_rows_is_not_listed_whole(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,p\n" + "".join(f"{k},0.5\n" for k in range(5000)))
    with pytest.raises(FormatError, match="rows are headed 0,1,2,3,4,5,6,7 and 4992 more and"):
        read_confusion(str(path))


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("truth,1,0\n1,4,1\n0,5,90\n", ("--cost", "fn=10", "fp=1")),
        ("truth,target,nontarget\ntarget,4,1\nnontarget,5,90\n", ("--cost", "fn=10", "fp=1")),
        ("truth,yes,no\nyes,4,1\nno,5,90\n", ("--costs", "c.toml", "--positive", "yes")),
    ],
    ids=["numbers", "trials", "costs without names"],
)
def test_the_outcome_that_is_acted_on_is_known_as_in_rows(run, write, text, costs):
    write("c.toml", "fn = 10\nfp = 1\n")
    words = (*costs, "--min-positives", "5", "--json")
    ran = run("eval", "--confusion", write("a.csv", text), *words)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == [[90, 5], [1, 4]]
    assert ran.found["models"][0]["cost"] == pytest.approx((10 * 1 + 1 * 5) / 100)


def test_costs_per_case_need_rows(run, write):
    name = write("a.csv", "truth,0,1\n0,90,5\n1,1,4\n")
    ran = run("eval", "--confusion", name, "--cost", "fn=amount", "fp=1")
    assert ran.code == 2
    assert "'amount' is not a number, and there are no rows to take a column from." in ran.err
