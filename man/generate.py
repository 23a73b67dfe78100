"""Write the manual pages and docs/reference/commands.md from the commands and registries, so that none drifts away.

Run it after changing a command, an option or a classifier: python man/generate.py. A test fails while the files differ
from what it writes. Only probfs-mapping.5 is written by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from probfs import __version__
from probfs.api.options import Option
from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.cli import COMMANDS, FIRST_OPTIONS, SUMMARY, load_command
from probfs.cli.options import Command
from probfs.comparison.measures import MEASURES
from probfs.comparison.result import ColumnChange
from probfs.output.documents import header_of
from probfs.paper.catalogue import EXPERIMENTS, SAMPLES
from probfs.ranking.result import RankedFeature
from probfs.selection.result import SelectedFeature

ROOT = Path(__file__).resolve().parent.parent
COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"
EXIT_STATUS = (
    ("0", "Done."),
    ("1", "The data cannot be read or ranked, or the result cannot be written."),
    ("2", "The command line or the mapping is wrong."),
    ("3", "A condition of probfs compare --fail-if is true."),
    ("130", "Interrupted."),
)
DESCRIPTIONS = {
    "rank": f"""
Every column is a feature, except the target, those named by --count, --weight, --group and --time and those left out.
The first round scores all features by how much the class probabilities of the rows change when a feature is taken away.
Features that cannot be told from noise leave in it, ordered by the p-value of a test against the class;
--false-discoveries is the share of noise tolerated among the others, on average (Benjamini-Hochberg). Each further
round scores the remaining features, and removes the one with the lowest score, until none is left. The feature that
leaves last has rank 1. With --no-screen nothing leaves before its score is the lowest, as in the paper. Nothing is
tested for a classifier that sees columns together: an RBF support vector machine, a forest, boosting.

The result is a table on a terminal and CSV elsewhere. The CSV has the columns {", ".join(header_of(RankedFeature))}:
the scores in the round in which the feature left, the number of that round, and the scores in the first round; p and
q of a test of the feature alone against the class; and, with --uncertainty, standard errors of the scores in the first
round and the limits of a 90% rank interval. A row without a value in the target is unlabelled and counts towards s_su
only.

Elimination judges each column given the columns that are still there. A low rank may mean only that other columns
can stand in for it, not that it is unrelated to the target; and a score above 0 does not prove that a column helps.

An option that the chosen classifier does not have is an error.
""",
    "select": f"""
Columns are ordered as probfs rank orders them: those that cannot be told from noise are screened out, and the others
are eliminated one by one. As many of the best are then kept as have the least log-loss. All of this is repeated without
each of --folds parts of the rows, and judged on the part that was left out: what the result says about kept, all and
none is about rows that neither the choice nor the model had seen.

The verdict on a column is keep; redundant, if the kept column most like it within the classes says at least half of
what it says about the class, which one and how much standing beside it; weak, if it is not redundant, but adds too
little or is beyond the number asked for; or noise, if it cannot be told from noise with these rows.
A column that matters only together with others is noise to Naive Bayes, and more rows may tell a column from noise. An
RBF support vector machine sees columns together, so for it no column is screened.

The log-loss is leave-one-out for Naive Bayes, after a temperature, and that of ten-fold cross-validation for the
other classifiers, which fit models anew for each number of columns: tens of columns take minutes, and a note says so
before the choice is repeated. --folds 0 does not repeat it.

The result is a table on a terminal and CSV elsewhere. The CSV has the columns {", ".join(header_of(SelectedFeature))}:
s_s and s_a are the scores in the round in which the column left, log_loss is that of the best columns down to
this one, and folds says in how many folds it was kept. When nothing can be told from noise, no column is kept, and
the exit status is 0.

--reduced writes the table itself with only the kept columns, the target and the columns named by --count, --weight,
--group and --time: rows without a class, the order of rows and columns and the text of each cell stay as they were. In
Parquet, Feather and JSON lines, a column in which every text is a plain number becomes whole numbers or doubles, unless
digits would be lost (007, keys of 20 digits); all else becomes text, dates too.
""",
    "pairs": """
For each two columns, the table of both, cut as for Naive Bayes, and the class is held against the log-linear model of
no three-factor interaction: each column shifts the log-odds of the classes by as much whatever the other column holds.
p is that of Pearson's X², by the law of chi-squared or, where expected counts are small, by tables drawn from the
fitted model; q allows for the number of pairs. The gain is by how many nats a row the leave-one-out log-loss of Naive
Bayes falls when the joint value takes the place of the two values.

The result is a table on a terminal and CSV elsewhere, with the columns a, b, gain, p and q: first the pairs that were
found, by their gain, then all others, by p. An HTML page also has a heat map. Of a column with many values, the twelve
most frequent are told apart. At most 2,000 columns are taken; --include names some of more.
""",
    "compare": f"""
OLD and NEW are the JSON documents of probfs rank or probfs select. One of them may be a table: it is ranked, or its
columns are selected, with the target and the settings of the other, as far as the document has them (options that say
how a table is read are given anew; the mapping is read again from its path). What ends in .json is a document; what
has the ending of a table is a table; all else is a document if it begins with a brace, unless --input-format says
otherwise.

Columns are told apart by their names. One that vanished and one that appeared are named as probably renamed if all
their scores are the same to nine digits and no other column could be meant, or if they are the only two that came and
went and the same test against the class has the same p. A column rose or fell if its rank among the columns that both
have is another. Where a document has rank intervals (probfs rank --uncertainty), a move is beyond them if the new rank
is outside of the old interval and the old rank outside of the new one. Another classifier, score, estimate, target or
other classes make two documents hard to compare, which a warning says.

--fail-if is for pipelines: the exit status is 3 if a condition is true, and a line on standard error says which.
spearman and kendall are rank correlations over the columns that both have; overlap is the share of the first --top
columns that are the same, and rbo the rank-biased overlap, in which the first columns count most; changed, rose, fell,
appeared, vanished and renamed count columns, and beyond those that moved beyond rank intervals; of selections,
verdicts counts columns with another verdict, and kept_changed those that only one of the two keeps. A condition on a
measure that the documents do not give (beyond, without rank intervals; vanished, where the new document was written
with --top) counts as true: a check that cannot be made has not been passed.

The result is a table on a terminal, with the columns that changed, and CSV elsewhere. The CSV has a row for each
column: {", ".join(header_of(ColumnChange))}.
""",
    "map": """
The mapped table holds all columns except the dropped ones. A column with a rule holds yes and no, intervals like
(18,30], or names of groups; all other columns stay as they are. Quantiles and widths are learned from labelled rows
only.
""",
    "suggest": """
The draft is TOML with comments, meant to be read and edited; probfs rank accepts it unchanged. It drops columns
that identify rows, cuts numeric columns with more than 20 distinct values at quantiles (unless the classifier takes
numbers as they are), and groups rare values.
""",
    "inspect": """
The result has a line for each column: its kind, the number of distinct values and of missing cells, the most
frequent value, and what probfs rank would do with the column.
""",
    "sample": """
The tables are breast_cancer (699 tumours, nine cell measures, benign or malignant), customers (600 made-up customers of
a service, with the faults of real tables), commute (240 made-up survey answers, three classes, some rows unlabelled),
kiln (300 made-up firings of pots, cracked or not), and shop (60 made-up customers, in cells as people write them).
Without a NAME they are listed. Breast cancer: W. Wolberg,
Breast Cancer Wisconsin (Original), UCI Machine Learning Repository, 1990, doi 10.24432/C5HP4Z, CC BY 4.0; the others
are drawn from random generators, and free to use (CC0 1.0).
""",
    "exact": """
JOINT has a row for each combination of feature values that can occur. The column p holds the probability of the
combination, and p_y the probability of the positive class given the combination, both as numbers or as fractions
like 1/3; all other columns are features. The probabilities in p must add up to 1, within rounding.

The result has a line for each feature, in the order of the columns: s_s, the expected size of the change in the
probability of the positive class when the feature becomes known (eq. 1 of Arnosti & Danyluk, 2012); s_a, twice the
expected variance of that probability (eqs. 12 and 15); and s_b, what the feature adds to the accuracy of the best
possible classifier (eq. 5). s_a and s_b are never larger than s_s, and s_s is never larger than the square root of
s_a / 2.
""",
    "generate": """
The last column, class, is negative or positive. Column names tell which columns matter: relevant_1 and so on do,
noise_001 and so on do not; in the nominal problem x1 matters, and x2 to x5 do not.

xcp draws columns X_{c,p}: with probability P a cell is y N(C, 1), where y is 1 in positive and -1 in negative rows;
otherwise it is N(0, 1) like the noise (footnote 1 of Arnosti & Danyluk, 2012).

weston draws the linear problem of Weston et al. (2000): with probability 0.7 the first three columns are y N(i, 1)
for i = 1, 2, 3 and the next three are N(0, 1); otherwise the two groups change places. Noise is N(0, 20), with
variance 20.

nominal draws the five columns of section 5.2, with the values a, b and c; the class is positive with probability
1/4, 1/2 or 3/4 where x1 is a, b or c. In the population, and with proportionate sampling, a quarter of the rows
have x1 = a and another quarter x1 = c. With oversampling a, b and c are equally frequent among the labelled rows;
with undersampling a and c each occur in one labelled row of eight.

An option that the chosen problem does not have is an error.
""",
    "reproduce": """
Each experiment regenerates a part of Arnosti & Danyluk (2012) and judges what the paper says about it: example
(section 4.1), bound (eqs. 7, 9, 15 and 16 on random distributions), figure1 to figure4, errors (the numbers about
the breast-cancer table), table1, pairs (section 5.3), equivalence (eq. 10) and misfit (the third prediction of
section 5, which the paper left open).

The result is a list of claims: what the paper says, what was measured, and whether the claim holds. A claim about
random draws is judged over many of them. With --output, each experiment leaves NAME.csv (the numbers),
NAME_claims.csv, NAME.png and NAME.svg in the folder as soon as it is done. Results depend on --seed and --runs, not
on --jobs. All experiments together, at their defaults, take about six minutes on two cores.
""",
}
CLASSIFIER_DETAILS = {
    "nb": """
Numeric columns with many distinct values are cut into intervals. All scores are exact: nothing is refitted,
whichever model --estimate asks for. A missing cell contributes nothing to its row's probabilities; a value that
only unlabelled rows hold counts as missing.
""",
    "logistic": """
Columns become numbers as for the svm: numeric ones are standardised, a missing number being the mean, and a category
becomes one column for each of its values. The penalty is that of scikit-learn's LogisticRegression, of which C is the
inverse.
""",
    "forest": """
A RandomForestClassifier of scikit-learn. Numbers are taken as they are, a missing one going to the side of a split that
fits better, and a category becomes one column for each of its values. With --estimate oob, one forest is fitted in each
round instead of ten, and each row is judged by the trees that it was not drawn for; of equal rows, each tree judges
those that it was not drawn for. A row that was drawn for every tree has the shares of the classes as its probabilities,
and a warning counts such rows.
""",
    "boosting": """
A HistGradientBoostingClassifier of scikit-learn. Numbers are taken as they are, missing ones as in a forest. A category
of up to 255 values is split as such, one of more values becomes one column for each of them.
""",
    "svm": """
A column is numeric if all its values are numbers and none has a leading zero. Numeric columns are standardised, a
missing number being replaced by the mean, and a category becomes one column for each of its values, all of which
leave together. With more than two classes, each class is told from all others, and the probabilities are scaled to
add up to 1. Of the two sides, the larger costs no more in total than the smaller. The probabilities come from
Platt's sigmoid, fitted on cross-validated decision values with up to five folds of its own, which --folds does not
change. A column is taken away by shuffling it among the rows and averaging the probabilities over all shuffles, or
by fitting the model without it. On very small tables, or when the columns say very little about the class, a
cross-validated sigmoid may come out decreasing. It is then replaced by one fitted on the training rows themselves,
or by the share of the class, and a warning says how often that happened: such scores are rough, and more rows or
fewer columns would help.
""",
}


def _defaults(attribute: str) -> str:
    """What each classifier has by default, as in "1 for nb, auto for svm, forest"."""
    owners: dict[str, list[str]] = {}
    for classifier in CLASSIFIERS:
        owners.setdefault(getattr(classifier, attribute), []).append(classifier.name)
    return ", ".join(f"{default} for {', '.join(names)}" for default, names in owners.items())


OPTION_DETAILS = {
    "data": "CSV, TSV, ARFF, Parquet, Feather, JSON lines or Excel, also compressed. Several files, a pattern in "
    "quotes, or a directory of files are one table.",
    "delimiter": "That is a comma, or ; tab | or blanks where the first lines show it. tab and \\t stand for a tab.",
    "encoding": "That is UTF-8, or Windows-1252 with a note where the text is not UTF-8 but may be that.",
    "skip_rows": "Without it, rows of few cells and comments (#) above a row of names are skipped, with a note; 0 "
    "skips none.",
    "no_header": "The columns are called column 1, column 2 and so on.",
    "decimal": "The other one separates thousands. Decimal commas are understood without it where a column leaves no "
    "doubt.",
    "union": "Where a file lacks a column, its cells are missing. Default: such files are refused.",
    "max_unpacked": "Default: 4G, and 250 times the compressed size where that is less and above 64M.",
    "target": "A mapping may name another default, and of an ARFF file it is the attribute called class.",
    "na": "An empty cell is missing anyway. auto takes all texts that look so, like NA, N/A, null and ?; none "
    "takes none but those named. A number means missing however it is written: -999 is -999.0. May be given several "
    "times. Default: those that look so among numbers.",
    "dates": "dmy is the day, mdy the month. Default: as the dates of each column show it; where they do not, "
    "the column is text, and a warning says so.",
    "ignore_case": "They are called by their most frequent spelling. true, True and TRUE are one value anyway.",
    "mapping": "See probfs-mapping(5).",
    "exclude": "May be given several times.",
    "include": "May be given several times.",
    "keep_identifiers": "Columns such as row numbers are left out otherwise, unless --include or the mapping "
    "names them.",
    "together": "The columns leave, are shuffled, tested and kept as one. Columns are named as in --exclude, or by "
    "patterns with * and ?. May be given several times. The table [together] of a mapping says the same. Not with "
    "--engine dask.",
    "group": "Rows with the same value there, like those of one patient, are left out together; folds never split "
    "them, and tests take subjects as the unit. The column is not ranked. Not with --engine dask.",
    "weight": "Any finite number from 0 on, of which only the proportions count. Scores and losses are weighted means, "
    "and tests are made for the effective number of rows. The column is not ranked, and rows of weight 0 are left out. "
    "Not with --engine dask.",
    "time": "Numbers or dates. Each row is judged by models of earlier rows alone: folds are consecutive, the first is "
    "never judged, and leave-one-out becomes cv. The column is not ranked. Not with --group or --engine dask.",
    "cut_target": "The classes are cut at quantiles.",
    "min_class": "Rows of such classes are dropped, with a warning.",
    "classifier": "; ".join(f"{known.name}: {known.description}" for known in CLASSIFIERS) + ".",
    "score": "absolute is s_s, signed s_a, and unlabeled s_su.",
    "screen": "--no-screen is the procedure of the paper: nothing leaves before its score is the lowest.",
    "false_discoveries": "The share of noise among the columns told from noise, from 1e-06 to 1, which screens "
    "nothing.",
    "estimate": "The model is trained on all other rows (loo), on all rows (resubstitution), or on the other "
    "folds (cv), or it is the trees that the row was not drawn for (oob, with forest only). Default: "
    f"{_defaults('default_estimate')}.",
    "step": "A fraction is one of the columns that remain; auto is a tenth of them while more than 30 remain, "
    f"then one by one. Default: {_defaults('default_step')}.",
    "uncertainty": "The standard errors are those of the scores in round 1; the intervals take 50 rankings of "
    "half of the rows.",
    "seed": "Also of tables drawn for p-values where values are rare. Nothing else is random.",
    "output": "Written whole or not at all; - is standard output.",
    "safe_csv": "In CSV and TSV, a text that would be taken for a formula begins with an apostrophe.",
    "top": "All are computed.",
    "quiet": "Neither notes nor progress on standard error; twice, no warnings either.",
    "scheduler": "For --engine dask. Default: processes on this machine.",
    "workers": "Without --scheduler. Default: one for each core.",
    "format": "It is a table on a terminal and CSV elsewhere.",
    "unlabeled": "A file, a pattern or a directory. May be given several times.",
    "always": "May be given several times.",
    "reduced": "It has the target and the count, too, and cells and order as they were; the ending decides the format.",
    "names": "One a line, best first.",
    "select keep": "As many as have the least log-loss (best), the fewest or the most within one standard error "
    "of it, or at most N; fewer where fewer are told from noise (--false-discoveries 1 screens nothing).",
    "select score": "absolute is s_s, signed s_a.",
    "select folds": "In each of them the choice is repeated, and judged on rows that neither it nor the model has "
    "seen.",
    "compare old": "A table is ranked with the target and settings of the other document.",
    "compare new": "The JSON of rank or select, or a table; - is standard input.",
    "compare top": "Default: 10, or half of the columns where there are fewer than 20.",
    "compare fail_if": f"The result is written before. Measures: {', '.join(MEASURES)}; operators: < <= > >= == "
    "!=. A measure that the documents do not give makes its condition true. May be given several times.",
    "map format": "",
    "generate format": "",
    "generate seed": "",
    "generate problem": "Numeric columns X_{c,p} beside noise (xcp), Weston's linear problem with six relevant "
    "columns (weston), or five nominal columns of which the first matters (nominal).",
    "generate noise": "The numbers in brackets are the defaults.",
    "generate sampling": "In the labelled rows, values that matter occur as often as in the population, too often "
    "or too rarely.",
    "generate unlabeled_rows": "nominal draws them from the population, whatever --sampling.",
    "generate unlabeled_output": "Default: after the others, with an empty class.",
    "exact joint": "A row for each cell of the distribution: its features, p (its probability) and p_y (that of "
    "the positive class in it). Several files, a pattern or a directory are one table.",
    "sample name": f"{', '.join(SAMPLES)}.",
    "reproduce names": f"{', '.join(EXPERIMENTS)}, or all.",
    "reproduce runs": "Distributions (bound), sets of tables (figure3, table1), tables of each size (figure4) or "
    "kind (misfit), tables (equivalence). Default: what suits each, 500 for figure4.",
    "reproduce quick": "It is no verdict.",
    "reproduce seed": "",
    "reproduce format": "",
    "reproduce output": "CSV, PNG and SVG files. The folder is made if there is none. Without it nothing is written.",
}
"""What the manual says of an option besides its line of help, for all commands or for one."""


def files() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    commands = {name: load_command(name) for name in COMMANDS}
    pages = ["probfs(1)", *(f"probfs-{name}(1)" for name in commands), "probfs-mapping(5)"]
    contents = {ROOT / "man" / "probfs.1": _main_page(pages)}
    for name, command in commands.items():
        contents[ROOT / "man" / f"probfs-{name}.1"] = _command_page(name, command, pages)
    contents[COMMANDS_PAGE] = _commands_page(commands)
    return contents


def summary(name: str) -> str:
    return COMMANDS[name][1]


def options(command: str) -> Iterator[tuple[str, str]]:
    """Each argument and option as users write it, and what it means; arguments come first, as in a synopsis."""
    for name, option in _arguments_first(load_command(command).options).items():
        details = OPTION_DETAILS.get(f"{command} {name}", OPTION_DETAILS.get(name, ""))
        default = "" if option.default is None else f"Default: {option.default}."
        written = " ".join(filter(None, ("/".join(option.spellings(name)), option.shown_metavar)))
        yield written, option.manual or " ".join(filter(None, (option.help, details, default)))


def _arguments_first(declared: dict[str, Option]) -> dict[str, Option]:
    return dict(sorted(declared.items(), key=lambda item: not item[1].is_argument))


def paragraphs(name: str) -> list[str]:
    """The description of a command, each paragraph on one line."""
    return [" ".join(paragraph.split()) for paragraph in DESCRIPTIONS[name].strip().split("\n\n")]


def describe_classifier(classifier: UnfittedClassifier) -> str:
    """What users should know about a classifier: its registered description, details, and its own options."""
    own = ", ".join(f"--{name.replace('_', '-')}" for name in classifier.options()) or "none"
    sentences = [
        f"{classifier.description[:1].upper()}{classifier.description[1:]}.",
        " ".join(CLASSIFIER_DETAILS.get(classifier.name, "").split()),
        f"Default estimate: {classifier.default_estimate}. Own options: {own}.",
    ]
    return " ".join(filter(None, sentences))


# docs/reference/commands.md


def _commands_page(commands: dict[str, Command]) -> str:
    parts = [
        "<!-- Written by man/generate.py; change the command, not this file. -->\n",
        "# Commands\n",
        "What each command does, and then [every option](#options), once. `probfs COMMAND --help` is shorter, and the\n"
        "manual pages (`man probfs-rank`) say the same as this page. [Results](output.md), the [mapping\n"
        "file](mapping.md) and [notes](notes.md) have pages of their own.\n",
    ]
    for name, command in commands.items():
        parts += [f"## probfs {name}\n", f"{summary(name)}\n"]
        parts.append(f"```sh\nprobfs {name} [OPTION ...] {_synopsis(command)}\n```\n")
        parts += [f"{paragraph}\n" for paragraph in paragraphs(name)]
        parts.append(f"```sh\n{command.examples}\n```\n")
    parts += ["## Classifiers\n", "What `--classifier` takes; [which when](../background/classifiers.md).\n"]
    parts += [f"**{known.name}.** {describe_classifier(known)}\n" for known in CLASSIFIERS]
    parts += ["## Options\n"]
    for panel, rows in _options_by_panel(commands).items():
        lines = [f"| `{_in_cell(written)}` | {_in_cell(meaning)} | {users} |" for written, meaning, users in rows]
        parts.append("\n".join([f"### {panel}\n", "| option | meaning | of |", "|---|---|---|", *lines]) + "\n")
    parts += ["## Exit status\n", _markdown_table(("status", "meaning"), list(EXIT_STATUS))]
    return "\n".join(parts)


def _options_by_panel(commands: dict[str, Command]) -> dict[str, list[tuple[str, str, str]]]:
    """Every option as it is written, what it means, and the commands that it means that for."""
    users: dict[tuple[str, str, str], list[str]] = {}
    for name, command in commands.items():
        panels = {
            written: option.panel or "Output"
            for (written, _), option in zip(options(name), _arguments_first(command.options).values(), strict=True)
        }
        for written, meaning in options(name):
            users.setdefault((panels[written], written, meaning), []).append(name)
    by_panel: dict[str, list[tuple[str, str, str]]] = {}
    for (panel, written, meaning), names in users.items():
        of = "all" if len(names) == len(commands) else ", ".join(names)
        by_panel.setdefault(panel, []).append((written, meaning, of))
    return by_panel


def _markdown_table(header: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {header[0]} | {header[1]} |", "|---|---|"]
    lines += [f"| `{_in_cell(first)}` | {_in_cell(second)} |" for first, second in rows]
    return "\n".join(lines) + "\n"


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _synopsis(command: Command, style: Callable[[str], str] = str) -> str:
    """The arguments as a synopsis has them, in brackets where they may be left out."""
    arguments = [option for option in command.options.values() if option.is_argument]
    return " ".join(_in_synopsis(argument, style(argument.shown_metavar.strip("[]."))) for argument in arguments)


def _in_synopsis(argument: Option, name: str) -> str:
    if argument.many:
        return f"[{name} ...]"
    return name if argument.required else f"[{name}]"


# Manual pages


def _main_page(pages: list[str]) -> str:
    lines = _heading("probfs", "rank the columns of a table")
    lines += [".SH SYNOPSIS", ".B probfs", "[\\fB\\-\\-version\\fR] \\fICOMMAND\\fR [\\fIOPTION\\fR ...]"]
    lines += [".SH DESCRIPTION", _roff(SUMMARY), ".SH COMMANDS"]
    for name in COMMANDS:
        lines += [".TP", f".BR probfs\\-{name} (1)", _roff(summary(name))]
    lines += [".SH OPTIONS", *_option_lines(FIRST_OPTIONS.items())]
    return _page(lines, "probfs(1)", pages)


def _command_page(name: str, command: Command, pages: list[str]) -> str:
    synopsis = _synopsis(command, lambda name: f"\\fI{_roff(name)}\\fR")
    lines = _heading(f"probfs-{name}", summary(name).rstrip("."))
    lines += [".SH SYNOPSIS", f".B probfs {name}", f"[\\fIOPTION\\fR ...] {synopsis}", ".SH DESCRIPTION"]
    for number, paragraph in enumerate(paragraphs(name)):
        lines += ([".PP"] if number else []) + [_roff(paragraph)]
    if name == "rank":
        lines.append(".SH CLASSIFIERS")
        for classifier in CLASSIFIERS:
            lines += [".TP", f".B {_roff(classifier.name)}", _roff(describe_classifier(classifier))]
    lines += [".SH OPTIONS", *_option_lines(options(name)), ".SH EXAMPLES"]
    for example in command.examples.splitlines():
        lines += [".PP", ".EX", _roff(example), ".EE"]
    return _page(lines, f"probfs-{name}(1)", pages)


def _heading(name: str, summary: str) -> list[str]:
    return [
        '.\\" Written by man/generate.py; change the command, not this file.',
        f'.TH {_roff(name.upper())} 1 "" "probfs {__version__}"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(summary[:1].lower() + summary[1:])}",
    ]


def _option_lines(declared: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for written, meaning in declared:
        names, _, metavar = written.partition(" ")
        styled = f"\\fB{_roff(names)}\\fR" if names.startswith("-") else f"\\fI{_roff(names)}\\fR"
        lines += [".TP", styled + (f" \\fI{_roff(metavar)}\\fR" if metavar else ""), _roff(meaning)]
    return lines


def _page(lines: list[str], own: str, pages: list[str]) -> str:
    lines = [*lines, ".SH EXIT STATUS"]
    for status, meaning in EXIT_STATUS:
        lines += [".TP", f".B {status}", _roff(meaning)]
    others = [page for page in pages if page != own]
    references = [f".BR {_roff(page[:-3])} ({page[-2]}){',' if page != others[-1] else ''}" for page in others]
    return "\n".join([*lines, ".SH SEE ALSO", *references]) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    contents = files()
    stale = [path for path, text in contents.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        path.write_text(contents[path])
    sys.stdout.write("".join(f"wrote {path.relative_to(ROOT)}\n" for path in stale))
