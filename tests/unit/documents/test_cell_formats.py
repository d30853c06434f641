"""A number is shown as its format shows it in the program it comes from; what is not done is said to be so."""

import pytest

from hilt.documents.cell_formats import BUILT_IN, general, shown_number


@pytest.mark.parametrize(
    ("stored", "code", "expected"),
    [
        ("1", "General", "1"),
        ("1.0", "General", "1"),
        ("0.1", "General", "0.1"),
        ("0.30000000000000004", "General", "0.3"),
        ("-2.50", "General", "-2.5"),
        ("1E+21", "General", "1E+21"),
        ("1048576", "General", "1048576"),
        ("1234.5", "0", "1235"),
        ("2.5", "0", "3"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("1204", "#,##0", "1,204"),
        ("-1204", "#,##0", "-1,204"),
        ("-1204", "#,##0_);(#,##0)", "(1,204)"),
        ("-1204", "#,##0;[Red]-#,##0", "-1,204"),
        ("0", '0.00;-0.00;"-"', "-"),
        ("0.125", "0.0%", "12.5%"),
        ("0.5", "0%", "50%"),
        ("1234567", "#,##0,", "1,235"),
        ("1234567", '0.0,,"M"', "1.2M"),
        ("12.5", '"$"#,##0.00', "$12.50"),
        ("12.5", "[$€-407] #,##0.00", "€ 12.50"),
        ("12.5", "#,##0.00\\ [$kr-41D]", "12.50 kr"),
        ("7", "000", "007"),
        ("0.5", "#.##", ".5"),
        ("3", "0.##", "3."),
        ("3.10", "0.0#", "3.1"),
        ("12345", "0.00E+00", "1.23E+04"),
        ("0.00012", "0.0E-0", "1.2E-4"),
        ("12345", "##0.0E+0", "12.3E+3"),
        ("5551234", "000-0000", "555-1234"),
        ("1234567.8", "#\\ ##0.00", "1234 567.80"),
        ("1234.5", '#\\ ##0.00\\ "kg"', "1 234.50 kg"),
        ("5", "# ##0", "5"),
        ("12.5", "#\\ ##0.##", "12.5"),
        ("0", "#\\ ###", ""),
        ("12345.678", "0.00 00", "12345.67 80"),
        ("5", '[>100]"many";0', "5"),
        ("200", '[Red][>100]0.0"+";[Blue]0', "200.0+"),
        ("2500", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "2.5K"),
        ("25", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "25"),
        ("0", '[>100]"many";"less than nothing";"some"', "some"),
        ("5551234", "[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", "555-1234"),
        ("5551234567", "[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", "(555) 123-4567"),
        ("44927", "yyyy-mm-dd", "2023-01-01"),
        ("44927.75", "d mmm yyyy h:mm AM/PM", "1 Jan 2023 6:00 PM"),
        ("44927", "dddd, mmmm d, yyyy", "Sunday, January 1, 2023"),
        ("44927", "dd/mm/yy", "01/01/23"),
        ("44927", "mmmmm", "J"),
        ("0.5", "h:mm", "12:00"),
        ("0.25", "hh:mm:ss", "06:00:00"),
        ("1.5", "[h]:mm:ss", "36:00:00"),
        ("0.0007", "mm:ss.0", "01:00.5"),
        ("0.25", "h A/P", "6 A"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("5", "@", "5"),
        ("5", '0 "pcs"', "5 pcs"),
        ("5", '"n/a"', "n/a"),
        ("5", 'General" x"', "5 x"),
    ],
)
def test_a_number_is_shown_by_its_format(stored: str, code: str, expected: str) -> None:
    assert shown_number(stored, code) == expected


def test_dates_of_workbooks_that_count_from_1904_are_shifted() -> None:
    assert shown_number("43465", "yyyy-mm-dd", from_1904=True) == "2023-01-01"


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        ("0.5", "# ?/?"),
        ("-5", '[>100]"many";0'),
        ("5", "[>many]0;0"),
        ("5", '[>100]"many"'),
        ("44927", "[$-411]ggge"),
        ("-1", "yyyy-mm-dd"),
        ("9999999", "yyyy-mm-dd"),
        ("twelve", "0"),
        ("NaN", "0"),
        ("1E999999999", "0.00"),
        ("1E-999999999", "0.00"),
        ("9" * 500, "#,##0"),
    ],
)
def test_what_is_not_done_is_none_so_that_the_reader_tells(stored: str, code: str) -> None:
    assert shown_number(stored, code) is None


def test_every_built_in_format_shows_a_number_or_says_that_it_does_not() -> None:
    undone = {number for number, code in BUILT_IN.items() if shown_number("1.5", code) is None}

    assert undone == {12, 13}


def test_a_number_without_a_format_has_no_made_up_digits() -> None:
    assert [general(each) for each in ("1", "1.0", "-0.1", "1e3", "0", "x", "INF", "1E999999999")] == [
        "1",
        "1",
        "-0.1",
        "1000",
        "0",
        "x",
        "INF",
        "1E999999999",
    ]
