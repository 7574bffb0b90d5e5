"""`fairlint completion SHELL`: what a shell needs to complete commands, options and their values.

It is made from the commands themselves. The libraries for this read other parsers than ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.output import write_stdout
from fairlint.cli.tree import Branch, branches
from fairlint.support.errors import UsageError

FILES, FOLDERS = "files", "folders"
_KINDS = {"FILE": FILES, "FORMAT=FILE": "", "DIR": FOLDERS}
"""What an option takes → what may stand there."""

COMMAND = Command(
    "completion",
    usage="fairlint completion bash|zsh|fish",
    description="Print the script that completes commands, options and values in a shell.",
    groups=(),
    epilog="examples:\n"
    '  eval "$(fairlint completion bash)"     in ~/.bashrc\n'
    "  fairlint completion zsh > ~/.zfunc/_fairlint     with fpath+=~/.zfunc before compinit in ~/.zshrc\n"
    "  fairlint completion fish > ~/.config/fish/completions/fairlint.fish",
    words=1,
    acts=("bash", "zsh", "fish"),
)


def run(arguments: Sequence[str]) -> int:
    """Print the script of one shell."""
    words = COMMAND.parse(arguments).words
    if not words or words[0] not in SHELLS:
        raise UsageError("name a shell: fairlint completion bash, zsh or fish")
    write_stdout(f"{line}\n" for line in SHELLS[words[0]](list(branches()), _Words()))
    return 0


class _Words:
    """What may stand where words are asked for."""

    def __init__(self) -> None:
        from fairlint.laws import register  # noqa: PLC0415 (as above)
        from fairlint.reporters.registry import reporters  # noqa: PLC0415 (help needs none)
        from fairlint.rules.loading import load_rules  # noqa: PLC0415 (help needs none)
        from fairlint.vocabulary import default_vocabulary  # noqa: PLC0415 (as above)

        rules = sorted(load_rules(), key=lambda rule: rule.code)
        self.rules = [rule.code for rule in rules]
        self.names = [rule.name for rule in rules]
        self.attributes = list(default_vocabulary().attributes)
        self.laws = list(register())
        self.formats = list(reporters())

    def values(self, branch: Branch, option: Option) -> Sequence[str] | str:
        """Return the values of an option, or the kind of thing that it takes."""
        if option.choices:
            return option.choices
        if option.takes == "RULES":
            return self.rules
        if option.takes == "FORMAT" and branch.words == ("check",):
            return self.formats
        if option.takes == "FORMAT=FILE":
            return [f"{name}=" for name in self.formats]
        return _KINDS.get(option.takes, "")

    def operands(self, branch: Branch) -> Sequence[str] | str:
        """Return what may stand besides options."""
        if branch.below and branch.words != ("bench",):
            return branch.below
        if branch.words == ("rule",):
            return [*self.rules, *self.names]
        if branch.words == ("attributes",):
            return self.attributes
        if branch.words == ("laws",):
            return self.laws
        return FILES if branch.command.words != 0 else ""


# ------------------------------------------------------------------------------------------------- bash


def _bash_script(known: Sequence[Branch], words: _Words) -> Iterator[str]:
    commands = [branch for branch in known if len(branch.words) == 1]
    deeper = [branch for branch in known if len(branch.words) > 1]
    yield "# bash completion for fairlint"
    yield "_fairlint() {"
    yield "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}"
    yield "    local command=check values= kind= word"
    yield "    if [[ $current == = ]]; then"
    yield "        current="
    yield "    elif [[ $before == = ]]; then"
    yield "        before=${COMP_WORDS[COMP_CWORD-2]}"
    yield "    fi"
    yield "    if ((COMP_CWORD > 1)); then"
    yield '        case "${COMP_WORDS[1]}" in'
    yield f"            {'|'.join(branch.title for branch in commands)}) command=${{COMP_WORDS[1]}} ;;"
    yield "        esac"
    yield "    fi"
    yield "    if ((COMP_CWORD > 2)); then"
    yield '        case "$command ${COMP_WORDS[2]}" in'
    titles = "|".join(_quote_word(branch.title) for branch in deeper)
    yield f'            {titles}) command="$command ${{COMP_WORDS[2]}}" ;;'
    yield "        esac"
    yield "    fi"
    yield '    case "$command $before" in'
    for branch in known:
        for option in branch.options:
            if option.takes:
                cases = "|".join(_quote_word(f"{branch.title} {name}") for name in option.names)
                yield f"        {cases}) {_shell_assignment(words.values(branch, option))} ;;"
    yield "        *)"
    yield "            if [[ $current == -* ]]; then"
    yield '                case "$command" in'
    for branch in known:
        names = " ".join(name for option in branch.options for name in option.names)
        yield f"                    {_quote_word(branch.title)}) values={_quote_word(names)} ;;"
    yield "                esac"
    yield "            else"
    yield '                case "$command" in'
    for branch in known:
        assignment = _shell_assignment(words.operands(branch))
        yield f"                    {_quote_word(branch.title)}) {assignment} ;;"
    yield "                esac"
    first = _quote_word(" ".join(branch.title for branch in commands))
    yield f"                ((COMP_CWORD == 1)) && values={first}"
    below = _quote_word(" ".join(branch.words[1] for branch in deeper))
    yield f"                ((COMP_CWORD == 2)) && [[ $command == bench ]] && values={below}"
    yield "            fi"
    yield "            ;;"
    yield "    esac"
    yield "    COMPREPLY=()"
    yield '    while IFS= read -r word; do COMPREPLY+=("$word"); done < <('
    yield '        [[ -n $values ]] && compgen -W "$values" -- "$current"'
    yield f'        [[ $kind == {FILES} ]] && compgen -f -- "$current"'
    yield f'        [[ $kind == {FOLDERS} ]] && compgen -d -- "$current"'
    yield "    )"
    yield "    [[ -n $kind ]] && compopt -o filenames 2>/dev/null"
    yield "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null"
    yield "    return 0"
    yield "}"
    yield "complete -F _fairlint fairlint"


def _shell_assignment(values: Sequence[str] | str) -> str:
    """Return what a script sets: a kind, or values; nothing completes what is free text."""
    if isinstance(values, str):
        return f"kind={values}" if values else ":"
    return f"values={_quote_word(' '.join(values))}"


def _quote_word(text: str) -> str:
    """Return a text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


# ------------------------------------------------------------------------------------------------- zsh


def _zsh_script(known: Sequence[Branch], words: _Words) -> Iterator[str]:
    yield "#compdef fairlint"
    for branch in known:
        yield f"_fairlint_{'_'.join(branch.words)}() {{"
        yield "    _arguments -s -S \\"
        for option in branch.options:
            for name in option.names:
                yield f"        {_quote_word(_zsh_option(name, option, words.values(branch, option)))} \\"
        yield f"        {_quote_word(_zsh_operands(words.operands(branch)))}"
        yield "}"
    commands = [branch for branch in known if len(branch.words) == 1]
    yield "_fairlint() {"
    yield "    local -a commands"
    yield f"    commands=({' '.join(branch.title for branch in commands)})"
    yield "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then"
    yield "        compadd -a commands"
    yield "        _files"
    yield "        return"
    yield "    fi"
    yield "    if (( $commands[(Ie)$words[2]] )); then"
    yield "        local name=$words[2]"
    yield "        shift words; (( CURRENT-- ))"
    deeper = [branch for branch in known if len(branch.words) > 1]
    yield f"        local -a below=({' '.join(branch.words[1] for branch in deeper)})"
    yield "        if [[ $name == bench ]]; then"
    yield "            (( CURRENT == 2 )) && compadd -a below"
    yield "            if (( $below[(Ie)$words[2]] && CURRENT > 2 )); then"
    yield "                name=bench_$words[2]"
    yield "                shift words; (( CURRENT-- ))"
    yield "            fi"
    yield "        fi"
    yield "        _fairlint_$name"
    yield "    else"
    yield "        _fairlint_check"
    yield "    fi"
    yield "}"
    yield "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then"
    yield '    _fairlint "$@"'
    yield "else"
    yield "    compdef _fairlint fairlint"
    yield "fi"


def _zsh_option(name: str, option: Option, values: Sequence[str] | str) -> str:
    repeated = "*" if option.repeats else ""
    said = re.sub(r"[\[\]:\\]", lambda found: f"\\{found[0]}", option.help)
    if not option.takes:
        return f"{repeated}{name}[{said}]"
    equals = "=" if name.startswith("--") else ""
    return f"{repeated}{name}{equals}[{said}]:{option.takes.lower().replace('=', ' ')}:{_zsh_action(values)}"


def _zsh_action(values: Sequence[str] | str) -> str:
    if isinstance(values, str):
        return {FILES: "_files", FOLDERS: "_files -/", "": " "}[values]
    return f"({' '.join(values)})"


def _zsh_operands(values: Sequence[str] | str) -> str:
    return f"*:argument:{_zsh_action(values)}"


# ------------------------------------------------------------------------------------------------- fish


def _fish_script(known: Sequence[Branch], words: _Words) -> Iterator[str]:
    commands = [branch for branch in known if len(branch.words) == 1]
    yield "# fish completion for fairlint"
    yield "function __fairlint_command"
    yield "    set -l said (commandline -opc)[2..-1]"
    yield f'    contains -- "$said[1]" {" ".join(branch.title for branch in commands)}; or set said check'
    deeper = " ".join(_quote_word(branch.title) for branch in known if len(branch.words) > 1)
    yield f'    if contains -- "$said[1] $said[2]" {deeper}'
    yield '        test "$argv[1]" = "$said[1] $said[2]"'
    yield "    else"
    yield '        test "$argv[1]" = "$said[1]"'
    yield "    end"
    yield "end"
    yield "function __fairlint_first"
    yield "    test (count (commandline -opc)) -eq $argv[1]"
    yield "end"
    for branch in commands:
        said = _quote_word(branch.command.description.partition("\n")[0])
        yield f"complete -c fairlint -n '__fairlint_first 1' -a {branch.title} -d {said}"
    for branch in known:
        asked = f"__fairlint_command {_quote_word(branch.title)}"
        for option in branch.options:
            yield _fish_option(asked, option, words.values(branch, option))
        operands = words.operands(branch)
        if branch.words == ("bench",):
            first = f"{asked}; and __fairlint_first 2"
            yield f"complete -c fairlint -n {_quote_word(first)} -a {_quote_word(' '.join(branch.below))}"
        if not isinstance(operands, str):
            yield f"complete -c fairlint -f -n {_quote_word(asked)} -a {_quote_word(' '.join(operands))}"


def _fish_option(asked: str, option: Option, values: Sequence[str] | str) -> str:
    names = " ".join(
        f"-l {name.removeprefix('--')}" if name.startswith("--") else f"-s {name.removeprefix('-')}"
        for name in option.names
    )
    line = f"complete -c fairlint -n {_quote_word(asked)} {names} -d {_quote_word(option.help)}"
    if not option.takes:
        return line
    if isinstance(values, str):
        return (
            f"{line} -r" + {FILES: " -F", FOLDERS: " -fa '(__fish_complete_directories)'", "": " -f"}[values]
        )
    return f"{line} -x -a {_quote_word(' '.join(values))}"


SHELLS: Mapping[str, Callable[[Sequence[Branch], _Words], Iterator[str]]] = {
    "bash": _bash_script,
    "zsh": _zsh_script,
    "fish": _fish_script,
}
