"""The door of the command line: find the command and run it.

Each command is a module of this package with ``configure(parser)``, which adds its options and
imports nothing heavy, and ``run(args) -> int``, which does the work and returns the exit code.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import re
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from stakes import __version__
from stakes.cli.problems import (
    EXIT_CODES,
    EXIT_OK,
    EXIT_PROBLEM,
    complain,
    doing_before_writing,
    guarded,
    is_there,
    printing_is_the_output,
)
from stakes.messages.audience import command_line

#: What each command is for, in the order in which they are listed.
PURPOSES = {
    "eval": "compute what the decisions of models cost, and find which model to deploy",
    "ask": "find out what your errors cost by answering a few questions",
    "costs": "show a file of costs, or write one to fill in",
    "decide": "decide new cases by the rule that an evaluation saved",
    "rule": "show a saved rule, or write it as SQL",
    "constrain": "find the cheapest rules that treat slices alike, and what that costs",
    "monitor": "check whether costs have changed over time, and why",
    "estimate": "estimate what decisions cost before their labels arrive",
    "cascade": "find where a costly model pays off after a cheap one, and what that saves",
    "merge": "add up counts saved separately, such as by day or shard",
    "calibrate": "fix unreliable probabilities by calibration",
    "audit": "find out what a metric rewards, and which costs it implies",
    "reproduce": "recompute the tables of published papers",
    "inspect": "preview how files will be read",
    "demo": "run the bundled examples and leave report pages",
}
#: Progress messages of commands that take seconds; others print their own, or wait for input.
_WORK = {
    "eval": "evaluating",
    "monitor": "comparing periods",
    "estimate": "estimating",
    "cascade": "learning the cascade",
    "constrain": "finding rules",
    "merge": "adding up counts",
    "decide": "deciding",
    "audit": "auditing",
    "inspect": "reading",
}
#: How much alike two words are of which one may be the other misspelt.
_NEAR = 0.75
EPILOG = f"Start with `stakes demo`; `stakes COMMAND --help` explains a command. E{EXIT_CODES[1:]}."


# Exit codes and streams: docs/design/command-line.md.
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `EXIT_CODES` says what each means."""
    words = list(sys.argv[1:] if argv is None else argv)
    with command_line(words):
        return guarded(lambda: _run(words))


def _run(arguments: list[str]) -> int:
    """Find the command and run it."""
    args = _parsed(arguments)
    if args.completion is not None:
        from stakes.cli.completion import script

        printing_is_the_output()
        print(script(args.completion, PURPOSES), end="")
        return EXIT_OK
    if args.command is None:
        _parser([]).print_help()
        return EXIT_PROBLEM
    if any(getattr(args, form, False) for form in ("json", "csv", "quiet")):
        printing_is_the_output()
    args.command_line = arguments
    return _watched(args)


def _watched(args: argparse.Namespace) -> int:
    """Run the command; on a terminal, a line tells how far it is once it takes seconds."""
    if args.command not in _WORK:
        return int(args.run(args))
    from stakes.cli.show.progress import Telling
    from stakes.messages.steps import listening

    with Telling(quiet=getattr(args, "quiet", False)) as telling, listening(telling.step):
        telling.say(_WORK[args.command])
        with doing_before_writing(telling.pause):
            return int(args.run(args))


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong and what was probably meant, instead of its whole usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("action", None, _Listed)

    #: How the help of a command begins, and the options that it lists; all of them without any.
    first_call = ""
    most_used: Sequence[str] = ()
    #: All words that were typed, where no command is known yet.
    typed: Sequence[str] = ()

    def opened_by(self, module: Any) -> None:
        """Begin the help with an example, and list only what most people need."""
        self.first_call = "\n".join(f"  {line}" for line in module.FIRST_CALL.splitlines())
        self.most_used = getattr(module, "MOST_USED", "").split()
        said = "explain every option, and exit" if self.most_used else argparse.SUPPRESS
        self.add_argument("--help-all", action=_HelpAll, help=said)

    def format_help(self) -> str:
        """The help: an example, and the options that most people need."""
        if not self.first_call:
            return super().format_help()
        formatter = self._get_formatter()
        named = [str(each.metavar or each.dest.upper()) for each in self._get_positional_actions()]
        usage = self.usage or " ".join([self.prog, *named, "[options]"])
        formatter.add_usage(usage, [], [], "usage: ")
        formatter.add_text(self.description)
        of_demo = re.search(r"(churn|pets|may)[.-]", self.first_call)
        place = ", in the folder that stakes demo writes" if of_demo else ""
        formatter.add_text(f"example{place}:\n{self.first_call}")
        known = {name: action for action in self._actions for name in _names_of(action)}
        shown = [known[name] for name in self.most_used] or self._actions
        formatter.start_section("what most people need" if self.most_used else "options")
        formatter.add_arguments(shown)
        formatter.end_section()
        more = len({id(action) for action in known.values()}) - len(shown)
        rest = f"`{self.prog} --help-all` explains the other {more} options, with more examples."
        formatter.add_text(rest if self.most_used else self.epilog)
        return formatter.format_help()

    def format_all(self) -> str:
        """The help with every option."""
        return super().format_help() if self.most_used else self.format_help()

    def error(self, message: str) -> NoReturn:
        """Print a problem, in the words of argparse or ours, and end with 2."""
        # argparse says in words alone which command there is not
        self._end(message, re.findall(r"(?<=COMMAND: invalid choice: ')[^']+", message))

    def refuse_unknown(self, rest: Sequence[str]) -> NoReturn:
        """Print that there are no such options, or too many files, and end with 2."""
        options = re.findall(r"(?<![\w-])--?[a-z][\w-]*", " ".join(rest))
        self._end(f"unrecognized arguments: {' '.join(rest)}", options)

    def refuse_misplaced(self, arguments: Sequence[str]) -> None:
        """End with the command as it was meant, where the words after an option are not its own.

        A list is one word (--scores a b), --costs names a file, and --cost names none.
        """
        starts = [k for k, word in enumerate(arguments) if word.startswith("-")]
        asked = {arguments[k].partition("=")[0] for k in starts if arguments[k].startswith("--")}
        every = asked <= self._option_string_actions.keys()
        for start, stop in zip(starts, [*starts[1:], len(arguments)], strict=False):
            option, words = arguments[start], arguments[start + 1 : stop]
            action = self._option_string_actions.get(option)
            said, new, into = "", [option, *words], ""
            if option == "--costs" and words and "=" in words[0] and not _is_path(words[0]):
                amounts = [word for word in words if "=" in word]
                said, new = "--costs names a file", [*_without(words, amounts), "--cost", *amounts]
            elif option == "--cost" and words and words[0].lower().endswith((".toml", ".csv")):
                if "=" not in words[0] and len(arguments) > 1 and _names_file(arguments[:start]):
                    said, new = "--cost takes amounts, such as fn=10", ["--costs", *words]
            elif action is not None and re.search(r"[,*]", str(action.metavar)):
                files = [] if "--trials" in arguments else [w for w in words if _is_path(w)]
                listed = _without(words, files)
                if len(listed) > 1 and action.nargs is None:
                    joined = ",".join(word.strip(",") for word in listed)
                    said, new = f"{option} takes a list with commas", [*files, option, joined]
            elif action is not None and action.nargs == 0 and _is_new(words, option) and every:
                said, new, into = (
                    f"{option} prints, and takes no file",
                    [option, *words[:-1]],
                    words[-1],
                )
            if said:
                whole = [*arguments[:start], *new, *arguments[stop:]]
                whole = self._completed(whole)
                message = f"{said}; got {shlex.join([option, *words])}."
                line = shlex.join([self.prog.split()[0], *whole])
                complain(message, f"Say:  {line}{into and f' > {shlex.quote(into)}'}")
                raise SystemExit(EXIT_PROBLEM)

    def _completed(self, words: Sequence[str]) -> list[str]:
        """The words of this command with what their file needs beside them."""
        from stakes.cli.whole_commands import completed, read_quietly

        name = self.prog.split()[-1]
        rest = [word for k, word in enumerate(words) if k != words.index(name)]
        return completed(words, read_quietly(self, rest))

    def _end(self, message: str, words: Sequence[str] = (), before: str = "") -> NoReturn:
        """Print a problem, with a suggestion for unknown words, and exit with 2."""
        commands = re.findall(r"(?<=^    )[a-z]+(?= )", self.format_help(), re.M)
        known = [*self._option_string_actions, *commands]
        found = [_about_files(_meant(word, known), word, self.typed) for word in words]
        meant = "\n".join(filter(None, found))
        hint = f"{self.prog} --help lists what there is"
        if meant:
            hint = f"{meant}  {hint}" if meant.endswith("?") else f"{meant}\n{hint}"
        complain(f"{message[:1].lower()}{message[1:]}.", f"{before}{hint}")
        raise SystemExit(EXIT_PROBLEM)


def _is_path(word: str) -> bool:
    """Whether a word is a file or a folder that is there, or standard input."""
    return word == "-" or is_there(word)


def _is_new(words: Sequence[str], option: str) -> bool:
    """Whether a file to be written is named after --json or --csv."""
    written = option in ("--json", "--csv") and words and words[-1].endswith(f".{option[2:]}")
    return bool(written) and not _is_path(words[-1])


def _names_file(words: Sequence[str]) -> bool:
    """Whether a file of cases is among the words."""
    return any(_is_path(word) for word in words)


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that are not among others."""
    return [word for word in words if word not in others]


def _meant(word: str, known: Sequence[str]) -> str | None:
    """What to type for an unknown word: the usual word of other tools, or a near spelling."""
    from stakes.cli.usual_commands import COMMANDS, OPTIONS

    if is_there(word, file=True):
        return f"to see what {word} holds:  {shlex.join(['stakes', 'inspect', word])}"
    bare = word.lstrip("-").replace("_", "-")
    for words, said in COMMANDS if bare == word else OPTIONS:
        needed = re.findall(r"(?<![\w-])--?[a-z][\w-]*", said.partition("   ")[0])
        if bare in words.split() and (bare == word or {*needed} <= {*known}):
            return said if bare == word else f"instead of {word}:  {said}"
    near = difflib.get_close_matches(word, known, 1, _NEAR)
    return f"did you mean {near[0]}?" if near and near[0] != word else None


def _about_files(said: str | None, command: str, typed: Sequence[str]) -> str | None:
    """What to type instead of an unknown command, about the files that were typed after it."""
    from stakes.cli.usual_commands import BY_TIME, EVAL, SQL, TWO_FILES

    if said is None or command not in typed:
        return said
    rest = list(typed[typed.index(command) + 1 :])
    if said == SQL:
        return _as_sql(rest)
    files = [word for word in rest if is_there(word, file=True)]
    if not files or not re.search("FILE|JAN", said):
        return said
    from stakes.cli.whole_commands import eval_line, period_lines, read_quietly

    alone = [word for word in rest if word not in files[1:]]
    args = read_quietly(_parser(["eval"]), ["eval", *alone])
    if args is None:
        return said
    if TWO_FILES in said and len(files) > 1:
        return period_lines(files, args) or said
    for general, whole in ((EVAL, eval_line(args)), (BY_TIME, period_lines(files, args))):
        said = said.replace(general, whole or general)
    return said


def _as_sql(words: Sequence[str]) -> str:
    """How to write the rule that was typed as SQL, in the dialect that was typed."""
    from stakes.rules.rule_sql import SQL_DIALECTS

    parts = [part for word in words for part in word.split("=")]
    file = next((part for part in parts if part.endswith(".json")), "rule.json")
    dialect = next((part for part in parts if part in SQL_DIALECTS), "bigquery")
    return shlex.join(["stakes", "rule", file, "--sql", dialect])


def _names_of(action: argparse.Action) -> list[str]:
    """By which names an argument is known: its options, or what it is called."""
    return list(action.option_strings) or [action.dest]


class _HelpAll(argparse.Action):
    """Prints the help with every option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: Any, *_: Any, **__: Any) -> None:
        """Print it and end."""
        print(parser.format_all(), end="")
        parser.exit()


class _Listed(argparse.Action):
    """Keeps what is said of an option; a list, such as A,B, is said once, and as a whole."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Keep it, as argparse does by itself, unless other parts of a list would be lost."""
        before = getattr(namespace, self.dest, None)
        several = "," in str(self.metavar) or self.dest == "capacity"
        if several and before not in (None, self.default, values):
            option = self.option_strings[-1]
            parser.error(
                f"{option} is given twice; give all in one list: {option} {before},{values}"
            )
        setattr(namespace, self.dest, values)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; a file may also stand after them."""
    parser = _parser(arguments)
    args, rest = parser.parse_known_args(arguments)
    parser = getattr(args, "parser", parser)
    _refuse_empty(arguments, parser)
    parser.refuse_misplaced(arguments)
    if args.command == "decide" and args.file is not None:
        from stakes.cli.whole_commands import refuse_rule_for_rows

        refuse_rule_for_rows([args.file, *rest], args.output)
    if len(rest) == 1 and not rest[0].startswith("-") and getattr(args, "file", "") is None:
        args.file, rest = rest[0], []
    if rest and getattr(args, "file", None) and not any(map(_is_option, rest)):
        args.file, rest = _together([args.file, *rest]), []
    if rest:
        parser.refuse_unknown(rest)
    if getattr(args, "scores_are", None) == "decision":
        if not getattr(args, "scores", None) or args.decisions:
            parser.error("--scores-are decision speaks of the columns of --scores A,B")
        args.decisions, args.scores, args.scores_are = args.scores, None, None
    return args


def _is_option(word: str) -> bool:
    """Whether a word is an option rather than a file."""
    return word.startswith("-") and word != "-"


def _together(files: Sequence[str]) -> str:
    """Several files as one word, each of which is there."""
    for name in files:
        if not (is_there(name) or set(name) & set("*?[")):
            raise FileNotFoundError(2, "No such file", name)
    return shlex.join(files)


def _refuse_empty(arguments: Sequence[str], parser: argparse.ArgumentParser) -> None:
    """End where a word is empty, as an unset variable of a shell is."""
    for before, word in zip(["", *arguments], arguments, strict=False):
        if before == "--answer":  # no answer at all may be meant
            continue
        if not word or re.fullmatch(r"--[a-z-]+=", word):
            what = before if before.startswith("-") and not word else word.rstrip("=")
            said = f"the value of {what} is empty" if what else "a name of a file is empty"
            parser.error(f"{said}; a variable of the shell may not be set")


def _parser(arguments: Sequence[str]) -> _Parser:
    """The parser; only the command that was asked for is imported and configured."""
    parser = _Parser(
        prog="stakes",
        description="Judge classifiers, and make their decisions, by what the decisions cost.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"stakes {__version__}")
    parser.add_argument(
        "--completion",
        choices=("bash", "zsh", "fish"),
        help="print a completion script for this shell",
    )
    parser.typed = arguments
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    asked = next((word for word in arguments if not word.startswith("-")), None)
    for name, purpose in PURPOSES.items():
        command = commands.add_parser(
            name,
            help=purpose,
            description=purpose[0].upper() + purpose[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == asked:
            module = importlib.import_module(f"stakes.cli.commands.{name}")
            module.configure(command)
            command.opened_by(module)
            command.set_defaults(run=module.run, parser=command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
