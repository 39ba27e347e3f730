"""Completion of commands and options in the shell: `stakes --completion bash`."""

from __future__ import annotations

import argparse
import importlib
import re

_INTO = {
    "bash": 'eval "$(stakes --completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(stakes --completion zsh)"   # in ~/.zshrc',
    "fish": "stakes --completion fish | source   # in ~/.config/fish/config.fish",
}


def script(shell: str, commands: dict[str, str]) -> str:
    """A script that makes one shell complete the commands, their options and file names."""
    options = {name: _options(name) for name in commands}
    if shell == "fish":
        return _fish(commands, options)
    start = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    cases = "\n".join(
        f"    {name}) options='{' '.join(found)}' ;;" for name, found in options.items()
    )
    return f"""# {_INTO[shell]}
{start}_stakes() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(commands)} --help --version --completion' -- "$word"))
  elif [ "${{word#-}}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _stakes stakes
"""


def _fish(commands: dict[str, str], options: dict[str, list[str]]) -> str:
    """The same for fish, which shows what each command is for."""
    lines = [f"# {_INTO['fish']}"]
    for name, purpose in commands.items():
        said = purpose.replace("'", "\\'")
        lines.append(f"complete -c stakes -n __fish_use_subcommand -f -a {name} -d '{said}'")
        for option in options[name]:
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c stakes -n {seen} -l {option.removeprefix('--')}")
    return "\n".join(lines) + "\n"


def _options(name: str) -> list[str]:
    """The long options of a command, from its help."""
    parser = argparse.ArgumentParser(prog=f"stakes {name}")
    importlib.import_module(f"stakes.cli.commands.{name}").configure(parser)
    parser.epilog = None
    shown = re.findall(r"(?m)^  (?:-\w,? )?(--[a-z][a-z-]*)", parser.format_help())
    return sorted({*shown, "--help"})
