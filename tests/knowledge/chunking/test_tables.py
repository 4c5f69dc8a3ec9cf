"""Tables become lines that say by themselves what each value is."""

from apps.knowledge.chunking import text_of


def test_values_stand_beside_their_column_names() -> None:
    html = """<table><caption>Fees</caption><thead><tr><th>Room<th>Day rate</tr></thead>
    <tr><td>Loft<td>40<tr><td>Cellar<td>25</table>"""
    assert text_of(html) == "Fees\nRoom | Day rate\nRoom: Loft | Day rate: 40\nRoom: Cellar | Day rate: 25"


def test_without_a_header_row_values_are_listed() -> None:
    assert text_of("<table><tr><th>Wi-Fi<td>harbour-guest<tr><th>Door<td>bell</table>") == (
        "Wi-Fi | harbour-guest\nDoor | bell"
    )


def test_a_cell_spanning_rows_is_repeated_and_columns_stay_right() -> None:
    html = """<table><tr><th>Room<th>Day<th>Open</tr>
    <tr><td rowspan=2>Loft<td>Mon<td>9<tr><td>Tue<td>10<tr><td colspan=2>Cellar<td>8</table>"""
    assert text_of(html).splitlines()[1:] == [
        "Room: Loft | Day: Mon | Open: 9",
        "Room: Loft | Day: Tue | Open: 10",
        "Room: Cellar | Open: 8",
    ]


def test_stray_text_and_nested_tables_are_kept() -> None:
    html = "<table>stray<tr><td>a<table><tr><td>in<td>ner</table>b<td>c</table>"
    assert text_of(html).split() == ["stray", "a", "in", "ner", "b", "|", "c"]


def test_huge_spans_do_not_multiply_the_page() -> None:
    html = "<table>" + ("<tr>" + "<td rowspan=99999 colspan=99999>" + "y" * 70) * 2_000 + "</table>"
    assert len(text_of(html)) < 2 * len(html)


def test_spans_that_are_no_numbers_count_as_one() -> None:
    html = "<table><tr><td colspan='x'>a<td rowspan='-3'>b<td colspan='٣'>c</table>"
    assert text_of(html) == "a | b | c"
