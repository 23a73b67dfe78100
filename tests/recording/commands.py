"""The commands that are recorded: every command, most options and formats, and what must be refused.

Each line is a name and a shell-like line without ``probfs``; ``< file`` at its end is standard input. Files in
``made/`` stay for later commands, those in ``out/`` are recorded and removed. A name keeps its meaning.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

REFITTED = "--permutations 5 --jobs 1"

HELP = """
version             : --version
help                : --help
no-command          :
help-rank           : rank --help
help-select         : select --help
help-compare        : compare --help
help-map            : map --help
help-suggest        : suggest --help
help-inspect        : inspect --help
help-exact          : exact --help
help-generate       : generate --help
help-reproduce      : reproduce --help
completion          : --show-completion
"""

RANK = """
rank-csv            : rank people.csv
rank-json           : rank people.csv --format json --output made/people.json
rank-table          : rank people.csv --target outcome --format table
rank-markdown       : rank people.csv --format markdown
rank-parquet        : rank people.csv --output out/ranking.parquet
rank-html           : rank people.csv --output out/report.html
rank-svg            : rank people.csv --output out/ranking.svg
rank-png            : rank people.csv --output out/ranking.png
rank-pdf            : rank people.csv --output out/ranking.pdf
rank-plot           : rank people.csv --plot out/beside.svg --top 3 --format table
rank-csv-by-ending  : rank people.csv --output out/ranking.csv --safe-csv
rank-quiet          : rank people.csv --quiet
rank-quieter        : rank leaks.csv -qq --top 2
rank-progress       : rank people.csv --progress --top 1
rank-signed         : rank people.csv --score signed --format json
rank-resubstitution : rank people.csv --estimate resubstitution --smoothing 0.5 --format json
rank-cv             : rank people.csv --estimate cv --folds 4 --seed 3 --format json
rank-smoothing-0    : rank people.csv --smoothing 0 --bins 3 --format json
rank-no-eliminate   : rank people.csv --no-eliminate
rank-step           : rank people.csv --step 3 --format json
rank-step-fraction  : rank wide.csv --step 0.2 --format json --output made/wide.json
rank-wide           : rank wide.csv --score signed --top 12
rank-wide-table     : rank wide.csv --step 0.3 --top 5 --format table
rank-wide-html      : rank wide.csv --step 0.3 --output out/wide.html
rank-shrink-off     : rank wide.csv --shrink off --step 0.3 --top 12 --format json
rank-shrink-on      : rank people.csv --shrink on --format json
rank-uncertainty    : rank people.csv --uncertainty --format json --output made/uncertain.json
rank-uncertain-html : rank people.csv --uncertainty --output out/uncertain.html
rank-uncertain-text : rank people.csv --uncertainty --format table
rank-include        : rank people.csv --include age,dose --include smoker
rank-exclude        : rank people.csv --exclude age --exclude joined,zip
rank-mapping        : rank people.csv --mapping people.toml --format json
rank-other-rules    : rank people.csv --mapping other_rules.toml --format table
rank-target         : rank people.csv --target smoker --format json
rank-unlabelled     : rank people.csv --unlabeled unlabelled.csv --score unlabeled --format json
rank-partly         : rank partly_labelled.csv --score unlabeled --format table
rank-counts         : rank counts.csv --count n --format json
rank-cut-target     : rank quantity.csv --cut-target 3 --format json
rank-classes        : rank classes.csv --format json
rank-classes-table  : rank classes.csv --score signed --format table
rank-min-class      : rank rare_class.csv --min-class 5
rank-rare-class     : rank rare_class.csv --format json
rank-identifiers    : rank identifiers.csv --format json
rank-keep-keys      : rank identifiers.csv --keep-identifiers
rank-repeated-keys  : rank repeated_keys.csv --format json
rank-leaks          : rank leaks.csv --format json --output made/leaks.json
rank-leaks-html     : rank leaks.csv --output out/leaks.html
rank-copies         : rank copies.csv --score signed --format json
rank-missing-words  : rank missing_words.csv --format json
rank-na-auto        : rank missing_words.csv --na auto --na -999
rank-na-none        : rank missing_words.csv --na none --na null
rank-missing-tells  : rank missing_tells.csv --format json
rank-missing-skip   : rank missing_tells.csv --missing skip
rank-missing-value  : rank missing_tells.csv --missing value
rank-formatted      : rank formatted.csv --format json
rank-hostile-table  : rank hostile_names.csv --format table
rank-hostile-csv    : rank hostile_names.csv --safe-csv
rank-hostile-md     : rank hostile_names.csv --format markdown
rank-hostile-json   : rank hostile_names.csv --format json
rank-hostile-html   : rank hostile_names.csv --output out/hostile.html
rank-hostile-svg    : rank hostile_names.csv --output out/hostile.svg
rank-constant       : rank faulty/constant.csv --format json
"""

READING = """
read-tsv            : rank people.tsv
read-gz             : rank people.csv.gz
read-bz2            : rank people.csv.bz2
read-xz             : rank people.csv.xz
read-hidden-gz      : rank gzip_by_content.csv
read-parquet        : rank people.parquet --format json
read-feather        : rank people.feather
read-jsonl          : rank people.jsonl
read-xlsx           : rank people.xlsx
read-arff           : rank people.arff --format json
read-sparse-arff    : rank sparse.arff --format json
read-stdin          : rank - --format json < people.csv
read-stdin-gz       : rank - < people.csv.gz
read-stdin-arff     : rank - --input-format arff < people.arff
read-semicolons     : rank semicolons.csv
read-pipes          : rank pipes.txt
read-decimal        : rank decimal_commas.csv --decimal , --format json
read-delimiter      : rank odd_delimiter.csv --delimiter ^
read-latin1         : rank latin1.csv --encoding latin-1
read-utf16          : rank utf16.csv --encoding utf-16
read-bom-crlf       : rank bom_crlf.csv
read-title          : rank title.csv
read-sep            : rank sep.csv
read-row-numbers    : rank row_numbers.csv
read-quoted         : rank quoted.csv --format json
read-several        : rank parts/part-0.csv parts/part-1.csv parts/part-2.csv --format json
read-pattern        : rank 'parts/*.csv'
read-folder         : rank parts
read-hive           : rank hive --target outcome --format json
read-union          : rank lacking --union --target outcome
"""

REFITTED_CLASSIFIERS = f"""
svm-linear          : rank numbers.csv --classifier svm --jobs 1 --format json
svm-rbf             : rank numbers.csv --classifier svm --kernel rbf --score signed --gamma auto --C 2 --jobs 1
svm-cv              : rank numbers.csv --classifier svm --estimate cv --folds 3 {REFITTED} --format table
svm-retrain         : rank numbers.csv --classifier svm --removal retrain --jobs 1
svm-mixed           : rank people.csv --classifier svm {REFITTED} --output out/svm.html
logistic            : rank numbers.csv --classifier logistic --folds 3 {REFITTED} --format json
logistic-table      : rank people.csv --classifier logistic --C 0.5 --folds 3 {REFITTED} --format table
forest              : rank numbers.csv --classifier forest --trees 20 --estimate oob {REFITTED} --format json
forest-leaf         : rank numbers.csv --classifier forest --trees 20 --leaf 2 --depth 3 --folds 3 {REFITTED}
boosting            : rank numbers.csv --classifier boosting --iterations 10 --learning-rate 0.2 --folds 3 {REFITTED}
select-svm          : select numbers.csv --classifier svm --folds 3 {REFITTED} --format json
select-logistic     : select numbers.csv --classifier logistic --folds 3 {REFITTED} --format table
inspect-svm         : inspect people.csv --classifier svm
suggest-forest      : suggest people.csv --classifier forest
"""

SELECT = """
select-csv          : select people.csv
select-json         : select people.csv --format json --output made/selection.json
select-table        : select people.csv --format table
select-markdown     : select people.csv --format markdown
select-parquet      : select people.csv --output out/selection.parquet
select-html         : select people.csv --output out/selection.html
select-svg          : select people.csv --output out/selection.svg
select-names        : select people.csv --names --quiet
select-reduced      : select people.csv --reduced out/small.csv --names -q
select-reduced-arff : select people.arff --reduced out/small.arff --names
select-reduced-pq   : select people.parquet --reduced out/small.parquet --names
select-reduced-gz   : select quoted.csv --reduced out/small.csv.gz --names
select-fewest       : select people.csv --keep fewest --format json
select-most         : select people.csv --keep most --format table
select-number       : select people.csv --keep 2 --always city --format json
select-strict       : select people.csv --false-discoveries 0.01 --score absolute --folds 5 --seed 2 --format json
select-copies       : select copies.csv --format json
select-leaks        : select leaks.csv --format table
select-wide         : select wide.csv --format json
select-classes      : select classes.csv --format json
select-counts       : select counts.csv --count n --plot out/counts.svg --format table
select-mapping      : select people.csv --mapping people.toml --top 3
select-nothing      : select people.csv --include zip,city --names
select-hostile      : select hostile_names.csv --format table
select-many-files   : select parts --reduced out/small.csv --format json
"""

COMPARE = """
compare-same        : compare made/people.json made/people.json
compare-table       : compare made/people.json later.csv --format table
compare-json        : compare made/people.json later.csv --format json
compare-markdown    : compare made/people.json later.csv --format markdown
compare-csv         : compare made/people.json made/leaks.json --output out/changes.csv
compare-uncertain   : compare made/uncertain.json later.csv --format json
compare-selections  : compare made/selection.json later.csv --format json
compare-both-kinds  : compare made/people.json made/selection.json
compare-stdin       : compare made/people.json - --top 3 --format table < made/leaks.json
compare-holds       : compare made/people.json later.csv --fail-if 'spearman<-0.9' --quiet
compare-fails       : compare made/people.json later.csv --fail-if 'vanished>0' --fail-if 'spearman<0.99'
compare-renamed     : compare people.csv made/people.json
"""

OTHERS = """
map-csv             : map people.csv --mapping people.toml
map-arff            : map people.csv --mapping people.toml --output out/mapped.arff
map-tsv             : map people.csv --mapping other_rules.toml --format tsv
map-parquet         : map people.csv --mapping people.toml --output out/mapped.parquet
map-feather         : map people.csv --mapping people.toml --output out/mapped.feather
map-jsonl           : map people.arff --mapping empty.toml --format jsonl
map-gz              : map people.csv --mapping people.toml --output out/mapped.csv.gz
map-hostile         : map hostile_names.csv --mapping empty.toml --safe-csv
map-cells           : map quoted.csv --mapping empty.toml
map-counts          : map counts.csv --mapping people.toml --count n --na Oslo
suggest             : suggest people.csv --output made/draft.toml
suggest-identifiers : suggest identifiers.csv
suggest-formatted   : suggest formatted.csv
suggest-classes     : suggest classes.csv --target c0 --bins 3
suggest-hostile     : suggest hostile_names.csv
suggest-arff        : suggest people.arff
rank-draft          : rank people.csv --mapping made/draft.toml
inspect             : inspect people.csv
inspect-table       : inspect people.csv --format table
inspect-json        : inspect leaks.csv --format json
inspect-markdown    : inspect missing_words.csv --format markdown
inspect-mapping     : inspect people.csv --mapping people.toml --format table
inspect-wide        : inspect wide.csv --format json
inspect-quantity    : inspect quantity.csv --format table
inspect-arff        : inspect people.arff --format json
inspect-hostile     : inspect hostile_names.csv --format table
inspect-identifiers : inspect identifiers.csv --format json --output out/columns.json
exact               : exact joint.csv
exact-json          : exact joint.csv --format json
exact-table         : exact joint.tsv --format table
exact-stdin         : exact - --format markdown < joint.csv
generate-xcp        : generate xcp --c 2 --p 0.5 --relevant 2 --noise 3 --rows 30
generate-weston     : generate weston --rows 20 --noise 4 --seed 5
generate-nominal    : generate nominal --rows 20 --unlabeled-rows 10 --sampling undersampling --format arff
generate-balance    : generate xcp --balance 0.2 --rows 25 --format jsonl
generate-files      : generate nominal --rows 20 --unlabeled-rows 5 --output out/n.tsv --unlabeled-output out/u.parquet
reproduce-example   : reproduce example bound --quick --jobs 1 --format table
reproduce-json      : reproduce figure2 --quick --jobs 1 --format json
reproduce-files     : reproduce example pairs --quick --jobs 1 --output out/paper --format markdown
"""

FAULTY = """
no-file             : rank nothing.csv
no-pattern          : rank 'nothing*.csv'
a-directory         : rank faulty/empty_folder
unreadable          : rank faulty/unreadable.csv
no-arguments        : rank
empty               : rank faulty/empty.csv
empty-stdin         : rank - < faulty/empty.csv
blank-lines         : rank faulty/blank_lines.csv
header-only         : rank faulty/header_only.csv
long-row            : rank faulty/long_row.csv
short-row           : rank faulty/short_row.csv
all-rows-long       : rank faulty/all_rows_long.csv
unclosed-quote      : rank faulty/unclosed_quote.csv
not-utf8            : rank faulty/not_utf8.csv
utf16               : rank utf16.csv
nul-byte            : rank faulty/nul.csv
truncated-gzip      : rank faulty/truncated.csv.gz
two-member-zip      : rank faulty/two_members.zip
bomb                : rank faulty/bomb.csv.gz
max-unpacked        : rank people.csv.gz --max-unpacked 1K
random-bytes        : rank faulty/random.bin
html                : rank faulty/html.csv
wrong-delimiter     : rank semicolons.csv --delimiter ,
duplicate-names     : rank faulty/duplicate_names.csv
empty-name          : rank faulty/empty_name.csv
one-column          : rank faulty/one_column.csv
corrupt-parquet     : rank faulty/corrupt.parquet
nested-parquet      : rank faulty/nested.parquet --target y
broken-jsonl        : rank faulty/broken.jsonl
nested-jsonl        : rank faulty/nested.jsonl
arff-without-data   : rank faulty/no_data.arff
undeclared-value    : rank faulty/undeclared.arff
relational-arff     : rank faulty/relational.arff
duplicate-attribute : rank faulty/duplicate.arff
sparse-range        : rank faulty/sparse_range.arff
arff-not-a-number   : rank faulty/not_a_number.arff
arff-slow-quotes    : rank faulty/slow_quotes.arff
unknown-target      : rank people.csv --target outcom
unknown-column      : rank people.csv --exclude agee
unknown-count       : rank people.csv --count number
one-class           : rank faulty/one_class.csv
class-of-one-row    : rank faulty/class_of_one_row.csv
no-labels           : rank faulty/no_labels.csv
quantity            : rank quantity.csv
infinite            : rank faulty/infinite.csv --classifier svm --jobs 1
bad-counts          : rank faulty/bad_counts.csv --count n
unlabelled-lacks    : rank faulty/long_row.csv --unlabeled faulty/lacks_b.csv
unlabelled-lacks-b  : rank people.csv --unlabeled faulty/lacks_b.csv
no-unlabelled-rows  : rank people.csv --score unlabeled
different-columns   : rank faulty/mixed
toml-syntax         : rank people.csv --mapping faulty/syntax.toml
mapping-column      : rank people.csv --mapping faulty/unknown_column.toml
mapping-rule        : rank people.csv --mapping faulty/unknown_rule.toml
mapping-key         : rank people.csv --mapping faulty/unknown_key.toml
numeric-text        : rank people.csv --mapping faulty/numeric_text.toml
compared-text       : map people.csv --mapping faulty/compared_text.toml
no-mapping          : map people.csv --mapping nothing.toml
output-is-input     : rank people.csv --output people.csv
full-disk           : rank people.csv --output /dev/full
no-output-folder    : rank people.csv --output out/none/ranking.csv
unknown-ending      : rank people.csv --output out/ranking.xyz
unknown-format      : rank people.csv --format yaml
unknown-command     : rnak people.csv
unknown-option      : rank people.csv --scor signed
bad-step            : rank people.csv --step 0
bad-folds           : rank people.csv --estimate cv --folds 1
bad-smoothing       : rank people.csv --smoothing -1
not-its-option      : rank people.csv --kernel rbf
not-its-estimate    : rank people.csv --estimate oob
bad-encoding        : rank people.csv --encoding klingon
parquet-to-stdout   : rank people.csv --format parquet
bad-keep            : select people.csv --keep some
unknown-always      : select people.csv --always agee
compare-missing     : compare made/people.json nothing.json
compare-no-ranking  : compare made/people.json faulty/not_a_ranking.json
compare-cut-off     : compare made/people.json faulty/cut_off.json
compare-two-tables  : compare people.csv later.csv
compare-condition   : compare made/people.json made/people.json --fail-if 'spearmen<1'
suggest-empty       : suggest faulty/empty.csv
inspect-short-row   : inspect faulty/short_row.csv
select-header-only  : select faulty/header_only.csv
exact-sum           : exact faulty/bad_joint.csv
exact-share         : exact faulty/bad_share.csv
generate-unknown    : generate weton
generate-option     : generate weston --c 2
reproduce-unknown   : reproduce figure9
"""

INTERRUPTED = ("interrupted", "rank - --output out/ranking.json")
"""Waits for standard input, which never comes, until Ctrl-C."""


@dataclass(frozen=True)
class Command:
    name: str
    arguments: tuple[str, ...]
    stdin: str | None = None
    interrupted: bool = False

    @property
    def line(self) -> str:
        return shlex.join(["probfs", *self.arguments]) + (f" < {self.stdin}" if self.stdin else "")


def all_commands() -> list[Command]:
    groups = (HELP, RANK, READING, REFITTED_CLASSIFIERS, SELECT, COMPARE, OTHERS, FAULTY)
    commands = [_command(line) for group in groups for line in group.strip().splitlines()]
    commands.append(Command(INTERRUPTED[0], tuple(shlex.split(INTERRUPTED[1])), interrupted=True))
    assert len({command.name for command in commands}) == len(commands)
    return commands


def _command(line: str) -> Command:
    name, _, rest = line.partition(":")
    words = shlex.split(rest)
    if len(words) > 2 and words[-2] == "<":
        return Command(name.strip(), tuple(words[:-2]), words[-1])
    return Command(name.strip(), tuple(words))
