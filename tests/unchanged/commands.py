"""The recorded command lines, by the name of their record.

Lines of one entry run one after the other in one fresh folder that holds the files of `inputs`.
`< FILE` gives standard input. $BINARY and the like stand for what many of them share.
"""

from __future__ import annotations

SHORT = {
    "$CHURN": "--label churned --positive yes",
    "$BINARY": "small.csv --label churned --positive yes --scores gbm_p,logreg_p",
    "$PETS": "few-pets.csv --label species --proba *.p_*",
    "$ODD": "--label y --positive yes --scores p --cost fn=10 fp=1",
    "$COST": "--cost fn=40 fp=4",
}

EVAL = {
    "example-churn": "stakes eval churn.csv $CHURN --scores gbm_p,logreg_p,rules_p $COST"
    " --unit EUR --volume 250000/yr",
    "example-pets": "stakes eval pets.csv --label species --proba *.p_* --costs pets-costs.toml",
    "example-loans": "stakes eval loans.csv --label default --scores bank_p,bureau_p"
    " --cost fn=0.75*amount fp=0.02*amount+150 --unit EUR",
    "binary-json": "stakes eval $BINARY $COST --unit EUR --volume 250000/yr --json",
    "binary-csv": "stakes eval $BINARY $COST --csv",
    "binary-quiet": "stakes eval $BINARY $COST --quiet",
    "binary-html": "stakes eval $BINARY $COST --forensic --embed-posteriors --html page.html",
    "binary-page-of-parts": "stakes eval $BINARY $COST --by region --html page.html --quiet",
    "binary-other-words": "stakes eval $BINARY --miss 40 --false-alarm 4",
    "binary-gain": "stakes eval $BINARY --gain tp=36 fp=-4",
    "binary-costs-of-right-decisions": "stakes eval $BINARY --cost fn=40 fp=4 tp=5 tn=0",
    "binary-costs-toml": "stakes eval $BINARY --costs costs.toml",
    "binary-costs-csv": "stakes eval $BINARY --costs costs.csv",
    "binary-every-error": "stakes eval $BINARY --cost error=1",
    "binary-abstention": "stakes eval $BINARY --costs ask.toml --json",
    "binary-prevalence": "stakes eval $BINARY $COST --prevalence 2%",
    "binary-prevalence-adjusted": "stakes eval $BINARY $COST --prevalence 2%"
    " --posteriors-already-adjusted",
    "binary-prevalence-range": "stakes eval $BINARY $COST --prevalence 2%..10%",
    "binary-cost-range": "stakes eval $BINARY --cost fn=5..60 fp=4 --json",
    "binary-cost-range-file": "stakes eval $BINARY --costs ranges.toml --html page.html",
    "binary-weights": "stakes eval $BINARY $COST --weight weight",
    "binary-groups": "stakes eval $BINARY $COST --groups household",
    "binary-parts": "stakes eval $BINARY $COST --by region",
    "binary-parts-json": "stakes eval $BINARY $COST --by region --json",
    "binary-logits": "stakes eval small.csv $CHURN --scores gbm_logit --scores-are log_odds $COST",
    "binary-llrs": "stakes eval small.csv $CHURN --scores gbm_llr --scores-are llr $COST"
    " --prevalence 5%",
    "binary-ranks": "stakes eval small.csv $CHURN --scores points --scores-are rank $COST",
    "binary-decisions": "stakes eval small.csv $CHURN --decisions says,rule $COST",
    "binary-flip": "stakes eval wrong-way.csv $ODD --flip p --min-positives 5",
    "binary-stdin": "stakes eval - $CHURN --scores gbm_p $COST < small.csv",
    "binary-gate-fails": "stakes eval $BINARY $COST --fail-if nec>0.3",
    "binary-gate-holds": "stakes eval $BINARY $COST --fail-if logreg_p:nec>0.9 --require gbm_p"
    " --quiet",
    "classes-json": "stakes eval $PETS --costs pets-costs.toml --json",
    "classes-page": "stakes eval $PETS --costs pets-costs.toml --html page.html --quiet",
    "classes-prevalence": "stakes eval $PETS --costs pets-costs.toml"
    " --prevalence cat=.5,dog=.3,fox=.05,rabbit=.15",
    "classes-every-error": "stakes eval $PETS --cost error=1 --csv",
    "case-costs-json": "stakes eval few-loans.csv --label default --scores bank_p,bureau_p"
    " --cost fn=0.75*amount fp=0.02*amount+150 --json",
    "case-costs-page": "stakes eval few-loans.csv --label default --scores bank_p"
    " --cost fn=0.75*amount fp=0.02*amount+150 --list-costliest 5 --html page.html --quiet",
    "confusions": "stakes eval --confusion a.csv,b.csv --positive yes $COST",
    "confusions-json": "stakes eval --confusion a.csv,c.json --positive yes $COST --json",
    "trials": "stakes eval --trials trials.txt --scores system-a.txt,system-b.txt --preset sre16",
    "trials-side-by-side": "stakes eval side-by-side.txt --preset sre10 --json",
    "trials-hdf5": "stakes eval --trials trial_mask.h5 --scores scores.h5 --cost fn=1 fp=1"
    " --min-positives 1",
    "lake-duckdb": "stakes eval lake/**/*.parquet $CHURN --scores gbm_p,logreg_p $COST"
    " --by region --save counts.json",
    "lake-duckdb-weights": "stakes eval lake/**/*.csv $CHURN --scores gbm_p,logreg_p $COST"
    " --weight weight --json",
    "lake-polars": "stakes eval lake/**/*.parquet $CHURN --scores gbm_p,logreg_p $COST"
    " --engine polars --html page.html",
    "lake-groups": "stakes eval lake/**/*.csv $CHURN --scores gbm_p $COST --groups household",
    "other-files": """
        stakes eval small.csv.gz $CHURN --scores gbm_p $COST --quiet
        stakes eval semicolons.csv $CHURN --scores gbm_p $COST --quiet
        stakes eval lake/region=north/part.parquet $CHURN --scores gbm_p $COST --quiet
        stakes eval scores.npy --label targets.npy --positive 1 $COST --quiet
        stakes eval both.npz --label y --scores p --positive 1 $COST --quiet
        stakes eval predictions.arff --positive yes $COST --quiet
        stakes eval long.csv --label y --positive yes $COST --quiet
        stakes eval small.csv --more regions.csv --join-on customer $CHURN --scores gbm_p $COST\
 --by kind --quiet
        stakes eval few-loans.csv --more missing.csv --join-on loan --label default $COST""",
    "counts-saved-and-merged": """
        stakes eval small.csv $CHURN --scores gbm_p,logreg_p $COST --quiet --save one.json
        stakes eval churn.csv $CHURN --scores gbm_p,logreg_p $COST --quiet --save two.json
        stakes merge one.json two.json -o both.json
        stakes inspect both.json
        stakes eval both.json --positive yes --cost fn=20 fp=4 --json""",
}

OTHERS = {
    "inspect-examples": """
        stakes inspect churn.csv
        stakes inspect pets.csv loans.csv pets-costs.toml
        stakes inspect small.csv --label churned --weight weight""",
    "inspect-others": """
        stakes inspect lake/**/*.parquet
        stakes inspect trials.txt system-a.txt
        stakes inspect both.npz predictions.arff scores.npy
        stakes inspect empty.csv""",
    "ask-answers": """
        stakes ask $BINARY --goal threshold --tolerance 0.1 --answer b,a --quick -o costs2.toml
        stakes ask $BINARY --answers costs2.toml --no-questions
        stakes eval $BINARY --costs costs2.toml --quiet""",
    "ask-statements": """
        stakes ask $BINARY --acts-at 10% --miss-is-worth 5..50 --no-questions --json
        stakes ask $BINARY --acts-at 30% --tuned f1 --sensitivity 90% --no-questions --json""",
    "ask-amounts": "stakes ask $BINARY --amounts fn=200..400 fp=10 --miss-is-worth 5..50"
    " --unit EUR --volume 1000/yr --answer a,b,= --quick",
    "ask-ranking": "stakes ask --prevalence 5%"
    " --rank always,errs,never,errs_negatives,errs_positives --no-questions",
    "ask-classes": "stakes ask $PETS --answer a,b,= --quick --json",
    "calibrate": """
        stakes calibrate small.csv $CHURN --model gbm_p $COST --unit EUR -o cal.json
        stakes calibrate --apply cal.json small.csv -o out.csv
        stakes calibrate --apply cal.json small.csv --prevalence estimate -o out2.csv
        stakes eval out.csv $CHURN --scores gbm_p $COST --quiet""",
    "calibrate-json": "stakes calibrate small.csv $CHURN --model logreg_p $COST"
    " --kind affine --json",
    "calibrate-by-cost": "stakes calibrate small.csv $CHURN --model gbm_p $COST --choose-by cost"
    " --folds 3 --groups household",
    "calibrate-classes": "stakes calibrate few-pets.csv --label species --proba small.p_*"
    " --costs pets-costs.toml --kind temperature -o cal.json",
    "calibrate-kinds": """
        stakes calibrate small.csv $CHURN --model gbm_llr --scores-are llr --kind logistic
        stakes calibrate small.csv $CHURN --model logreg_p --kind isotonic --prevalence 2%
        stakes calibrate small.csv $CHURN --model points --scores-are rank --kind beta""",
    "audit": "stakes audit f1",
    "audit-costs": "stakes audit f1 --cost fn=10 fp=1 --prevalence 2% --draws 2000",
    "audit-models": "stakes audit mcc $COST $BINARY --draws 2000 --json",
    "audit-all": "stakes audit --all --cost fn=10 fp=1 --draws 500",
    "audit-unknown": "stakes audit f_three",
    "monitor-days": "stakes monitor small.csv $CHURN --scores gbm_p $COST --time day"
    " --period month",
    "monitor-json": "stakes monitor small.csv $CHURN --scores gbm_p $COST --time day"
    " --period month --reference-first 2 --json",
    "monitor-files": """
        stakes eval --confusion a.csv --positive yes $COST --quiet --save a.json
        stakes eval --confusion b.csv --positive yes $COST --quiet --save b.json
        stakes monitor a.json b.json --positive yes $COST --fail-if alarm
        stakes monitor a.json b.json --positive yes $COST --csv""",
    "monitor-lake": "stakes monitor lake/**/*.parquet $CHURN --scores gbm_p $COST --time day"
    " --period month --quiet",
    "demo": "stakes demo",
    "reproduce": """
        stakes reproduce
        stakes reproduce ferrer2025 loan --json
        stakes reproduce ferrer2025 no-such-item""",
    "completion": """
        stakes --completion bash
        stakes --completion zsh
        stakes --completion fish""",
}  # fmt: skip

PROBLEMS = {
    "no-command": "stakes",
    "unknown-command": """
        stakes evl small.csv
        stakes calibrate small.csv $CHURN --model gbm_p --kind unheard-of""",
    "unknown-option": "stakes eval small.csv --labl churned",
    "no-file": "stakes eval nowhere.csv $ODD",
    "no-costs": "stakes eval small.csv $CHURN --scores gbm_p",
    "no-label": "stakes eval small.csv --scores gbm_p $COST",
    "wrong-column": "stakes eval small.csv $CHURN --scores gmb_p $COST",
    "wrong-positive": "stakes eval small.csv --label churned --positive ja --scores gbm_p $COST",
    "bad-costs": """
        stakes eval $BINARY --cost fn=ten fp=1
        stakes eval $BINARY --cost fn=0 fp=0
        stakes eval $BINARY --cost miss=3 fp=1
        stakes eval $BINARY --cost fn=price*2 fp=1
        stakes eval $BINARY --costs no-outcomes.toml
        stakes eval $BINARY --costs other-outcomes.toml
        stakes eval $BINARY --costs sideways.csv""",
    "bad-numbers": """
        stakes eval $BINARY $COST --prevalence 200%
        stakes eval $BINARY $COST --volume many
        stakes eval $BINARY $COST --fail-if nec
        stakes eval $BINARY $COST --require nobody""",
    "missing-dropped": "stakes eval missing.csv $ODD",
    "missing-naive": "stakes eval missing.csv $ODD --missing naive",
    "unlabelled": "stakes eval unlabelled.csv $ODD",
    "impossible": "stakes eval impossible.csv $ODD --min-positives 5",
    "one-class": "stakes eval one-class.csv $ODD",
    "three-labels": "stakes eval three-labels.csv $ODD",
    "ties": "stakes eval ties.csv $ODD --min-positives 5",
    "constant": "stakes eval constant.csv $ODD --min-positives 5",
    "wrong-way": "stakes eval wrong-way.csv $ODD --min-positives 5",
    "text-scores": "stakes eval text-scores.csv $ODD",
    "too-large": "stakes eval too-large.csv $ODD",
    "few-positives": "stakes eval few-positives.csv $ODD",
    "spaces": "stakes eval spaces.csv --label y --positive 'will leave' --scores p,q"
    " --cost fn=10 fp=1 --min-positives 5",
    "numbers-as-labels": "stakes eval numbers.csv --label y --positive 1 --scores p --cost fn=10"
    " fp=1 --min-positives 5 --quiet",
    "broken-files": """
        stakes eval same-name.csv $ODD
        stakes eval ragged.csv $ODD
        stakes eval header-only.csv $ODD
        stakes eval empty.csv $ODD
        stakes eval pickle.pkl $ODD
        stakes eval --confusion sideless.csv --positive yes $COST
        stakes eval --confusion negative.csv --positive yes $COST
        stakes eval --trials trials.txt --scores too-few.txt --cost fn=1 fp=1
        stakes merge costs.toml c.json -o sum.json""",
}  # fmt: skip

# The words of argparse are those of the Python that runs it.
OF_PYTHON = ("help", "problem-unknown-command")

HELP = {"help": "stakes --help"} | {
    f"help-{name}": f"stakes {name} --help"
    for name in (
        "eval", "ask", "monitor", "estimate", "merge", "calibrate", "audit", "reproduce", "inspect",
        "demo",
    )
}  # fmt: skip

CASES = (
    {f"eval-{name}": lines for name, lines in EVAL.items()}
    | OTHERS
    | {f"problem-{name}": lines for name, lines in PROBLEMS.items()}
    | HELP
)


def lines_of(name: str) -> list[str]:
    """The command lines of a record, written out."""
    text = CASES[name]
    for short, words in SHORT.items():
        text = text.replace(short, words)
    return [line.strip() for line in text.strip().splitlines()]
