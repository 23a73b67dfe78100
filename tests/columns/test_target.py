"""The column to predict: who names it, and which classes it has."""

from __future__ import annotations

import pandas as pd

import probfs
from tests.support.table_content import Write


def test_the_target_is_the_option_then_the_mapping_then_class_then_the_last_column(write: Write) -> None:
    data = write("t.csv", "class,a,y\n0,x,p\n0,y,q\n1,x,p\n1,x,q\n")
    mapping = write("m.toml", 'target = "a"')
    arff = write("t.arff", "@relation r\n@attribute Class {0,1}\n@attribute a {x,y}\n@data\n0,x\n0,y\n1,x\n1,x\n")
    options = {"estimate": "resubstitution"}
    said: list[str] = []
    for source, more in (
        (data, {"target": "class", "mapping": mapping}),
        (data, {"mapping": mapping}),
        (data, {}),
        (arff, {}),
    ):
        probfs.rank(source, on_note=said.append, **options, **more)  # type: ignore[arg-type]  # options of many types
    assert [note for note in said if note.startswith("target")] == [
        "target: class (by target=)",
        "target: a (by the mapping)",
        "target: y (the last column)",
        "target: Class (the ARFF attribute of that name)",
    ]


def test_the_count_column_is_not_taken_for_the_target(frame: pd.DataFrame) -> None:
    ranking = probfs.rank(frame[["a", "b", "y", "n"]], count="n")
    assert ranking.input.target == "y"
    assert {feature.feature for feature in ranking.features} == {"a", "b"}


def test_many_numbers_may_be_classes_if_the_user_says_so(write: Write) -> None:
    body = "".join(f"{'xy'[n % 2]},{n}\nx,{n}\n" for n in range(60))
    names = ",".join(str(n) for n in range(60))
    arff = f"@relation r\n@attribute a {{x,y}}\n@attribute class {{{names}}}\n@data\n{body}"
    assert len(probfs.rank(write("t.arff", arff)).input.classes) == 60
    data, mapping = write("t.csv", "a,y\n" + body), write("m.toml", '[columns]\ny = "category"\n')
    assert len(probfs.rank(data, mapping=mapping).input.classes) == 60


def test_the_target_may_be_made_by_a_rule(write: Write) -> None:
    frame = pd.DataFrame({"x": list("aabbaabb"), "y": [str(number) for number in range(8)]})
    ranking = probfs.rank(frame, mapping=write("m.toml", '[columns]\ny = "< 4"\n'))
    assert ranking.input.classes == {"no": 4, "yes": 4}
