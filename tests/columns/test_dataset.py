"""What a classifier is fitted on."""

from __future__ import annotations

from tests.support.prepared_tables import encode_csv


def test_rows_are_counted_as_often_as_they_stand_for() -> None:
    dataset = encode_csv("a,n,y\nx,3,q\nz,2,p\nx,1,q\nx,4,\n", count="n")
    assert dataset.classes == ("p", "q")
    assert (dataset.rows, dataset.unlabelled_rows) == (6, 4)
    assert dataset.class_rows() == {"p": 2, "q": 4}


def test_a_feature_knows_how_many_values_it_has() -> None:
    counted, measured = (
        encode_csv("a,y\n1,p\n2,q\n1,q\n,p\n", numbers_as_they_are=as_they_are).features[0]
        for as_they_are in (False, True)
    )
    assert counted.values == measured.values == 2
    assert counted.labels.to_pylist() == ["1", "2"]
    assert counted.numbers is None
    assert measured.numbers is not None
    assert measured.numbers.tolist() == [1.0, 2.0]
    assert counted.labelled.tolist() == measured.labelled.tolist() == [0, 1, 0, 2]
