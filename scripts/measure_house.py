"""Measure the house: how many modules, how large, how easy to find one's way.

    python scripts/measure_house.py            # the table, as in docs/design/house.md
    python scripts/measure_house.py --list     # with the places behind each number

Code lines are lines of `src` without docstrings, comments, blank lines and imports, as the
formatter of this repository writes them.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "stakes"
BUILT = {"Evaluation", "ModelEvaluation"}
#: Files whose name may occur twice: one folder per paper, engines by name, a curve and its plot.
EXEMPT_FOLDERS = ("papers", "engines", "sources/far", "curves", "plots")
#: Where the words of the command line may still be an argparse Namespace.
WORDS_IN = ("cli/entry.py", "cli/whole_commands.py", "cli/commands/")
#: What looks into a text, or cuts it by words; and what does so with a pattern.
MATCHES = {"startswith", "endswith", "replace", "partition", "rpartition", "split", "find",
           "index", "count", "removeprefix", "removesuffix"}  # fmt: skip
PATTERNS = {"match", "search", "fullmatch", "findall", "sub"}
#: What a text is called, or has in its name, that people are meant to read.
MESSAGE = re.compile(r"message|hint|note|remark|why|sentence|said|warning|str\((error|failure)\)")
#: Where such a text is not ours, and whose it is.
TEXT_OF_OTHERS = {
    "application/cost_files.py": "comments in a file of a user",
    "application/toml_reader.py": "tomllib says in words alone where a file is wrong",
    "audit/count_metric.py": "what NumPy says when a metric of a user fails",
    "cli/entry.py": "argparse says in words alone which command there is not",
    "sources/delimited.py": "the csv module says in words alone that a quote does not end",
    "sources/far/": "what DuckDB, Polars and Spark say; and addresses as they were typed",
}


def modules() -> list[Path]:
    """Every module of the package, `__init__` included."""
    return sorted(PACKAGE.rglob("*.py"))


def place(path: Path) -> str:
    """The path of a module inside the package."""
    return path.relative_to(PACKAGE).as_posix()


def code_lines(path: Path) -> int:
    """Lines that hold code, and are neither docstring, comment, blank nor import."""
    text = path.read_text(encoding="utf-8")
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (
            docstring and isinstance(node.value.value, str)
        ):
            skipped |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    held: set[int] = set()
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in nothing and token.type != tokenize.ENDMARKER:
            held |= set(range(token.start[0], token.end[0] + 1))
    return len(held - skipped)


def names_used_twice() -> list[str]:
    """File names that occur in more than one folder, outside the exempt ones."""
    files = [
        path
        for path in modules()
        if path.stem not in ("__init__", "__main__") and not place(path).startswith(EXEMPT_FOLDERS)
    ]
    often = Counter(path.stem for path in files)
    return [f"{name}: {times}" for name, times in often.items() if times > 1]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def builders() -> list[str]:
    """Functions that call `Evaluation(...)` or `ModelEvaluation(...)`."""
    found = []
    for path in modules():
        for function in functions(path):
            calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
            if any(isinstance(call, ast.Name) and call.id in BUILT for call in calls):
                found.append(f"{place(path)}:{function.lineno} {function.name}")
    return found


def bare_arguments() -> list[str]:
    """Functions that take the options of the command line, typed so or not."""
    found = []
    for path in modules():
        if place(path).startswith(WORDS_IN):
            continue
        for function in functions(path):
            given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            for each in given:
                typed = "" if each.annotation is None else ast.unparse(each.annotation)
                if "Namespace" in typed or (each.arg == "args" and typed in ("Any", "")):
                    found.append(f"{place(path)}:{function.lineno} {function.name}")
    return found


def matched_english() -> list[str]:
    """Places that look for words in a message, a hint or a note of ours, or replace some."""
    found = []
    for path in modules():
        if place(path).startswith(tuple(TEXT_OF_OTHERS)):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            words, text = _looked_for(node)
            if text and MESSAGE.search(text) and any(letter.isalpha() for letter in words):
                found.append(f"{place(path)}:{node.lineno} {ast.unparse(node)[:80]}")
    return found


def _looked_for(node: ast.AST) -> tuple[str, str]:
    """The words that are looked for, as source, and what they are looked for in."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[-1], (ast.In, ast.NotIn)):
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        return (node.left.value, ast.unparse(node.comparators[-1])) if text else ("", "")
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return "", ""
    subject, given = ast.unparse(node.func.value), [ast.unparse(each) for each in node.args]
    if node.func.attr in PATTERNS:
        return " ".join([subject, *given]), given[-1] if subject != "re" else " ".join(given[1:])
    return (given[0].strip("'\""), subject) if node.func.attr in MATCHES else ("", "")


def modules_loaded() -> list[str]:
    """Modules of ours that `stakes eval churn.csv ... --html r.html` has imported."""
    program = (
        "import sys\nfrom stakes.cli.entry import main\n"
        "main(['eval', sys.argv[1], '--label', 'churned', '--positive', 'yes', '--scores', "
        "'gbm_p,logreg_p,rules_p', '--cost', 'fn=40', 'fp=4', '--html', sys.argv[2]])\n"
        "print('\\n'.join(sorted(m for m in sys.modules if m.partition('.')[0] == 'stakes')),"
        "file=sys.stderr)\n"
    )
    data = PACKAGE / "demonstration" / "data" / "churn.csv"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", program, str(data), str(Path(folder) / "r.html")],
            capture_output=True,
            text=True,
            check=True,
        )
    return [line for line in done.stderr.splitlines() if line.startswith("stakes")]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="also print the places")
    listing = parser.parse_args().list
    files = modules()
    folders = Counter(place(path.parent) for path in files if path.name != "__init__.py")
    largest, held = folders.most_common(1)[0]
    rows = [
        ("modules under src", len(files), "<= 340", []),
        ("code lines under src", sum(code_lines(path) for path in files), "<= 39000", []),
        (f"most modules in one folder ({largest})", held, "<= 20", []),
        ("file names used twice", len(names_used_twice()), "0", names_used_twice()),
        ("functions that build an Evaluation", len(builders()), "1", builders()),
        ("modules loaded by eval --html", len(modules_loaded()), "<= 200", modules_loaded()),
        ("functions that take bare options", len(bare_arguments()), "0", bare_arguments()),
        ("places that match our own English", len(matched_english()), "0", matched_english()),
    ]
    for name, value, bar, places in rows:
        print(f"{name:<52} {value:>7}   {bar}")
        if listing:
            print("".join(f"    {each}\n" for each in places), end="")


if __name__ == "__main__":
    main()
