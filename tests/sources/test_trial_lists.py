"""Lists of trials and scores: each laboratory's form gives the same counts."""

from __future__ import annotations

import gzip
import shlex

import pytest

from stakes.exceptions import FormatError
from stakes.sources.trial_lists import fits, lone_half, read_list
from stakes.sources.trial_lists import read as read_table_of

# (speaker, recording, target?, score): at equal costs and the shares of the data, 3 of 8 targets,
# the threshold on the llr is log(5/3) = 0.51: one miss (0.4), one false alarm (1.2)
TRIALS = [
    ("s1", "u1", True, 3.1), ("s1", "u2", False, -2.0), ("s2", "u3", False, 1.2),
    ("s2", "u4", True, 0.4), ("s3", "u5", False, -4.0), ("s3", "u6", True, 2.2),
    ("s4", "u7", False, -0.5), ("s4", "u8", False, 0.1),
]  # fmt: skip
COUNTS = [[4, 1], [1, 2]]
COSTS = ["--cost", "fn=1", "fp=1", "--min-positives", "1", "--json"]


def lines(form, rows=TRIALS):
    return "".join(form(*row) + "\n" for row in rows)


def kind(target):
    return "target" if target else "nontarget"


FORMS = {
    "kaldi": lambda s, u, t, x: f"{s} {u} {kind(t)}",
    "voxceleb": lambda s, u, t, x: f"{int(t)} {s} {u}",
    "voices": lambda s, u, t, x: f"{s} {u} {'tgt' if t else 'imp'}",
    "asvspoof": lambda s, u, t, x: f"{s} {u} - A01 {'bonafide' if t else 'spoof'}",
}


@pytest.mark.parametrize("name", FORMS)
def test_trials_are_joined_with_scores_by_their_names(run, write, name):
    write("t.txt", lines(FORMS[name]))
    pairs = name != "asvspoof"
    form = lambda s, u, t, x: f"{s} {u} {x}" if pairs else f"{u} {x}"  # noqa: E731
    write("a.txt", lines(form, TRIALS[::-1]))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


@pytest.mark.parametrize(
    "form",
    [
        lambda s, u, t, x: f"{u} A01 {'bonafide' if t else 'spoof'} {x}",
        lambda s, u, t, x: f"{1 if t else -1} {x}",
        lambda s, u, t, x: f"{x} {kind(t)}",
        lambda s, u, t, x: f"{s} {s if t else 's9'} {u} {x}",
        lambda s, u, t, x: f"{s} model-{s} {s if t else 's1' if s != 's1' else 's2'} {u} {x}",
    ],
    ids=[
        "asvspoof scores",
        "bob two columns",
        "kaldi compute-eer",
        "bob four columns",
        "bob five columns",
    ],
)
def test_keys_and_scores_in_one_list(run, write, form):
    ran = run("eval", write("s.txt", lines(form)), *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS
    assert any("log-likelihood ratios" in note for note in ran.said("notes"))


def test_nist_files_have_headers(run, write):
    key = "modelid\tsegmentid\tside\ttargettype\n"
    write("k.tsv", key + lines(lambda s, u, t, x: f"{s}\t{u}\ta\t{kind(t)}"))
    write(
        "n.tsv", "modelid\tsegmentid\tside\tLLR\n" + lines(lambda s, u, t, x: f"{s}\t{u}\ta\t{x}")
    )
    ran = run("eval", "--trials", "k.tsv", "--scores", "n.tsv", *COSTS)
    assert ran.found["models"][0]["counts"] == COUNTS


def test_a_trial_without_a_score_is_said(run, write):
    write("t.txt", lines(FORMS["kaldi"]))
    write("a.txt", lines(lambda s, u, t, x: f"{s} {u} {x}", TRIALS[1:]))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert "1 row of a is empty." in ran.err


def test_what_scores_are_can_be_said(run, write):
    text = lines(lambda s, u, t, x: f"{kind(t)} {1 if x > 0.5 else 0.25}")
    ran = run("eval", write("s.txt", text), "--scores-are", "posterior", *COSTS)
    assert ran.found["models"][0]["threshold"] == 0.5


def test_presets_are_costs_and_shares(run, write):
    text = lines(FORMS["kaldi"])
    write("t.txt", text)
    write("a.txt", lines(lambda s, u, t, x: f"{s} {u} {x}"))
    words = ["--trials", "t.txt", "--scores", "a.txt", "--min-positives", "1", "--json"]
    ran = run("eval", *words, "--preset", "sre16")
    assert ran.found["application"]["priors"] == pytest.approx([0.99, 0.01])
    assert any("here 0.5 % are targets" in note for note in ran.said("notes"))
    assert run("eval", *words, "--preset", "sre16", "--miss", "1").code == 2
    assert run("eval", *words, "--preset", "sre99").code == 2


@pytest.mark.parametrize(
    ("trials", "scores", "said"),
    [
        ("s1 u1\ns2 u2\n", "s1 u1 1\n", "no column says which trials are targets"),
        ("s1 u1 target\ns2 u2 nontarget\n", "x y 1\n", "no trial of t.txt has a score in a.txt"),
        ("s1 u1 target\ns2 u2 nontarget\n", "s1 u1 a\n", "holds no column of scores"),
        ("s1 u1 target\ns2 u2 nontarget\n", "s1 u1 1\ns1 u1 2\n", "two different scores for s1 u1"),
        ("s1 u1 target\ns2 nontarget\n", "s1 u1 1\n", "is not a list of trials"),
    ],
)
def test_problems(run, write, trials, scores, said):
    write("t.txt", trials)
    write("a.txt", scores)
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert ran.code == 2
    assert said in ran.err


def test_two_columns_of_keys_are_ambiguous(run, write):
    write("t.txt", "target nontarget u1\nnontarget target u2\n")
    write("a.txt", "u1 1\n")
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert "columns 1 and 2 could each say which trials are targets" in ran.err


def test_trials_alone_need_scores(run, write):
    ran = run("eval", write("t.txt", lines(FORMS["kaldi"])), *COSTS)
    assert ran.err == (
        "error: t.txt is a list of trials without scores.\n"
        "  stakes eval --trials t.txt --scores SCORES.txt   (one file of scores per model)\n"
    )


def test_inspect_says_how_to_evaluate_a_list(run, write):
    name = write("s.txt", lines(lambda s, u, t, x: f"{x} {kind(t)}"))
    assert "  stakes eval s.txt --cost fn=10 fp=1\n" in run("inspect", name).out


def test_ordinary_tables_are_no_lists():
    assert not fits(b"y,p\n0,0.1\n1,0.9\n")
    assert not fits(b"a b c\nd e f\n")
    assert fits(b"1 0.5\n-1 0.2\n")
    assert read_list(b"1 0.5\n-1 0.2\n", "x").scores.tolist() == [0.5, 0.2]


@pytest.mark.parametrize("head", ["modelid\tscore\ty", "modelid\tsegmentid\tscore\ty"])
def test_tables_with_names_of_nist_are_tables(run, write, head):
    extra = "\ta" * (head.count("\t") - 2)
    text = head + "\n" + lines(lambda s, u, t, x: f"{s}{extra}\t{x}\t{int(t)}")
    ran = run("eval", write("t.tsv", text), "--scores", "score", "--scores-are", "llr", *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


def test_a_table_without_a_header_is_no_list_of_scores():
    assert lone_half(b"yes\t0.3\nno\t0.4\nyes\t0.5\n") is None
    assert lone_half(b"u1\t0.3\nu2\t0.4\nu3\t0.5\n") == "scores"


def test_names_that_never_agree_say_nothing_about_targets(run, write):
    """Four words without any agreement between the first two are no list of claims."""
    ran = run("eval", write("s.txt", lines(lambda s, u, t, x: f"{s} q{s} {u} {x}")), *COSTS)
    assert ran.code == 2


def test_numbers_alone_are_no_claims():
    assert not fits(b"1 1 5 0.3\n2 1 5 0.4\n3 3 5 0.5\n")


def test_numbers_may_be_names(run, write):
    """Speakers and recordings that are numbers are no scores."""
    write("t.txt", lines(lambda s, u, t, x: f"{s[1:]} {u[1:]} {kind(t)}"))
    write("a.txt", lines(lambda s, u, t, x: f"{s[1:]} {u[1:]} {x}"))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS
    ran = run("eval", "t.txt", *COSTS)
    assert "is a list of trials without scores" in ran.err


def test_scores_of_asvspoof_with_attack_and_key(run, write):
    write("t.txt", lines(FORMS["asvspoof"]))
    form = lambda s, u, t, x: f"{u} A01 {'bonafide' if t else 'spoof'} {x}"  # noqa: E731
    write("a.txt", lines(form))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


def test_lists_may_be_packed(run, write):
    write("t.txt.gz", gzip.compress(lines(FORMS["kaldi"]).encode()))
    write("a.txt.gz", gzip.compress(lines(lambda s, u, t, x: f"{s} {u} {x}").encode()))
    ran = run("eval", "--trials", "t.txt.gz", "--scores", "a.txt.gz", *COSTS)
    assert ran.found["models"][0]["counts"] == COUNTS


def test_a_model_may_be_called_truth(run, write):
    write("t.txt", lines(FORMS["kaldi"]))
    write("truth.txt", lines(lambda s, u, t, x: f"{s} {u} {x}"))
    ran = run("eval", "--trials", "t.txt", "--scores", "truth.txt", *COSTS)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


NIST = "modelid\tsegmentid\tside\t"
HALVES = {
    **{name: (lines(form), lines(lambda s, u, t, x: f"{s} {u} {x}"))
       for name, form in FORMS.items() if name != "asvspoof"},
    "asvspoof": (lines(FORMS["asvspoof"]), lines(lambda s, u, t, x: f"{u} {x}")),
    "kaldi with tabs": (lines(lambda s, u, t, x: f"{s}\t{u}\t{kind(t)}"),
                        lines(lambda s, u, t, x: f"{s}\t{u}\t{x}")),
    "score first": (lines(FORMS["voxceleb"]), lines(lambda s, u, t, x: f"{x} {s} {u}")),
    "nist": (NIST + "targettype\n" + lines(lambda s, u, t, x: f"{s}\t{u}\ta\t{kind(t)}"),
             NIST + "LLR\n" + lines(lambda s, u, t, x: f"{s}\t{u}\ta\t{x}")),
}  # fmt: skip
PAIRS = [
    (), ("k k.txt",), ("s.txt",), ("--trials", "k k.txt"), ("--trials", "s.txt"),
    ("k k.txt", "--scores", "s.txt"), ("s.txt", "--scores", "k k.txt"),
    ("k k.txt", "--trials", "k k.txt"), ("s.txt", "--trials", "k k.txt"),
    ("k k.txt", "--trials", "s.txt"), ("s.txt", "--trials", "s.txt"),
    ("k k.txt", "--trials", "k k.txt", "--scores", "s.txt"),
    ("s.txt", "--trials", "k k.txt", "--scores", "s.txt"),
    ("--trials", "s.txt", "--scores", "k k.txt"), ("--trials", "s.txt", "--scores", "s.txt"),
    ("k k.txt", "--scores", "score"), ("s.txt", "--scores", "score", "--label", "truth"),
]  # fmt: skip


@pytest.mark.parametrize("form", HALVES)
@pytest.mark.parametrize("words", PAIRS, ids=" ".join)
def test_hints_lead_to_an_answer_and_not_in_a_circle(run, write, form, words):
    """What to type is typed, with the names of the files put where only examples can stand."""
    keys, scores = HALVES[form]
    write("k k.txt", keys)
    write("s.txt", scores)
    seen = []
    while (ran := run("eval", *words, *COSTS)).code:
        assert words not in seen, f"a circle: {seen}"
        seen.append(words)
        told = ran.err.splitlines()[-1].split("   (")[0]
        typed = shlex.split(told[told.index("stakes eval") :])[2:]
        files = {"SCORES.txt": "s.txt", "A.txt,B.txt": "s.txt", "TRIALS.txt": "k k.txt"}
        words = tuple(files.get(word, word) for word in typed if "=" not in word)
        words = tuple(word for word in words if word not in ("--cost", "--confusion"))
        words = ("k k.txt",) if words[:1] in (("data.csv",), ("table.csv",)) else words
    assert ran.found["models"][0]["counts"] == COUNTS
    assert len(seen) <= 3


@pytest.mark.parametrize(
    ("trials", "scores", "told"),
    [
        ("s1 u1 target\ns2 u2 nontarget\n", "s1 u1 target\ns2 u2 nontarget\n",
         "--trials takes the list that says target or nontarget, --scores the files of scores"),
        ("s1 u1 target\ns1 u2 nontarget\n", "u1 s1 1\nu2 s1 2\nu1 s2 1\n",
         "write the names alike in both files: their order, folders and endings"),
        ("s1 u1 target\ns2 u2 nontarget\n", "x/s1.wav u1.wav 1\n",
         "write the names alike in both files: their order, folders and endings"),
        ("s1 u1 target\ns2 u2 nontarget\n", "1.5\n2.5\n",
         "if the lines stand in the order of the trials, put them side by side:"),
        ("target\nnontarget\n", "s1 u1 2.5\n", "lines such as:  speaker recording target"),
        ("s1,u1,target\ns2,u2,nontarget\n", "s1 u1 2.5\n", "--more scores.csv --join-on id"),
        ("\n", "s1 u1 2.5\n", "--trials takes the list"),
        ("s1 u1 target\ns2 u2 nontarget\n", "", "--trials takes the list"),
    ],
)  # fmt: skip
def test_what_to_type(run, write, trials, scores, told):
    write("t.txt", trials)
    write("a.txt", scores)
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert ran.code == 2
    assert told in ran.err.splitlines()[-1]


def test_files_of_scores_may_have_spaces_between_them_and_are_named_once(run, write):
    keys = "".join(f"s{k} u{k} {'target' if k % 2 else 'nontarget'}\n" for k in range(60))
    write("t.txt", keys)
    for name in ("a", "b"):
        write(f"{name}.txt", "".join(f"s{k} u{k} {k % 7 - 2.5}\n" for k in range(60)))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt, b.txt", *COSTS)
    assert ran.code == 0, ran.err
    assert [model["name"] for model in ran.found["models"]] == ["a", "b"]
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt,a.txt", *COSTS)
    assert ran.code == 2
    assert "'a.txt' is named twice" in ran.err


@pytest.mark.parametrize("form", ["kaldi", "asvspoof"])
def test_trials_with_two_different_keys_are_refused(run, write, form):
    turned = [(s, u, not t, x) for s, u, t, x in TRIALS[1:3]]
    write("t.txt", lines(FORMS[form], [*TRIALS, *turned]))
    write("a.txt", lines(lambda s, u, t, x: f"{s} {u} {x}"))
    ran = run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS)
    assert (ran.code, ran.out) == (2, "")
    assert "t.txt: 2 trials have two different keys: s1 u2 (" in ran.err
    assert "; s2 u3 (" in ran.err
    write("t.txt", lines(FORMS[form], [*TRIALS, *TRIALS[1:3]]))  # the same key twice
    assert run("eval", "--trials", "t.txt", "--scores", "a.txt", *COSTS).code == 0


def test_a_later_line_without_a_key_is_refused():
    """The kind of a file is recognised by its first 64 kB."""
    first = "".join(f"s{k} u{k} {'target' if k % 2 else 'nontarget'} {k}.5\n" for k in range(5000))
    assert fits(first.encode())
    with pytest.raises(FormatError, match=r"^day\.txt: the first lines have a key"):
        read_table_of((first + "s1 u1 s1 2.5\n").encode(), "day.txt")
