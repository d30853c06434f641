"""The floors name the file, the lines and the branches that no test reached."""

from scripts.coverage_floors import ranges, shortfalls

HOLED = {
    "summary": {"percent_covered": 95.0, "missing_lines": 3, "missing_branches": 2},
    "missing_lines": [4, 5, 9],
    "missing_branches": [[3, 9], [7, -1]],
}


def test_a_hole_in_a_complete_room_is_named_line_by_line() -> None:
    report = {"totals": {"percent_covered": 97.0}, "files": {"src/hilt/policy/rules.py": HOLED}}

    assert list(shortfalls(report)) == [
        "src/hilt/policy/rules.py is covered to 95.0 %; its room's floor is 100 %",
        "    lines never run: 4-5, 9",
        "    branches never taken: 3->9, 7->exit",
    ]


def test_a_hole_elsewhere_is_allowed_above_the_overall_floor() -> None:
    report = {"totals": {"percent_covered": 90.0}, "files": {"src/hilt/cli/verbs.py": HOLED}}

    assert list(shortfalls(report)) == []


def test_under_the_overall_floor_the_least_covered_files_come_first() -> None:
    report = {"totals": {"percent_covered": 80.0}, "files": {"src/hilt/cli/verbs.py": HOLED}}

    assert list(shortfalls(report))[:2] == [
        "src is covered to 80.0 %; the floor is 90 %. Least covered:",
        "  src/hilt/cli/verbs.py (95.0 %)",
    ]


def test_lines_in_a_row_are_written_as_a_range() -> None:
    assert ranges([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
