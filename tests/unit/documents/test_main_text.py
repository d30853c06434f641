"""HTML as Markdown: nothing that a reader of the page sees is lost or changed, and nothing hostile costs much."""

import pytest

from hilt.documents.main_text import SHORT, WHOLE, Facts, read_html
from hilt.documents.main_text_blocks import (
    LONGEST_BLOCK,
    Block,
    headings,
    markdown_blocks,
    parted,
    plain,
    sections,
)
from hilt.documents.main_text_content import read_content
from hilt.documents.main_text_guard import tamed

HERE = "https://example.org/docs/page.html"
FILLER = "<p>" + "Some words that make this a page of its own. " * 10 + "</p>"


def markdown(html: str, address: str = HERE) -> str:
    return "".join(block.text for block in read_html(html, address).blocks).strip("\n")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a <b>bold</b> and <em>soft </em>word</p>", "a **bold** and *soft* word"),
        ("<p>one<br>two\n three</p>", "one\ntwo three"),
        ("<h2>Title <a href='#title'>\u00b6</a></h2>", "## Title"),
        ("<p>call <code>f(a, `b`)</code></p>", "call `` f(a, `b`) ``"),
        ("<p>10<sup>2</sup> H<sub>2</sub>O x<sup>n+1</sup></p>", "10^2 H_2O x^(n+1)"),
        ("<p>a_b * c &lt;d&gt; \\n</p>", "a_b * c <d> \\n"),
        ("<ol start=3><li>three<li>four<ul><li>inner</ul></ol>", "3. three\n4. four\n   - inner"),
        ("<ol start=x><li>one</ol>", "1. one"),
        ("<ul><li><input type=checkbox checked disabled> a<li><input type=checkbox> b</ul>", "- [x] a\n- [ ] b"),
        ("<p>q <input type=text value=x><input type=hidden> <input hidden type=checkbox> r</p>", "q r"),
        ("<div><input type=checkbox> <input type=radio checked><p>r</p></div>", "r"),
        ("<ul><li><p>two</p><p>paragraphs</p><li></li></ul>", "- two\n  paragraphs"),
        ("<dl><dt>term<dd>meaning<dd hidden>no</dl>", "term\n\n: meaning"),
        ("<blockquote><p>one</p><p>two</p></blockquote>", "> one\n>\n> two"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<a href='/x'><h3>Card</h3><p>text</p></a>", "### [Card](https://example.org/x)\n\ntext"),
        ("<p><a href='../a b(c).html'> in </a></p>", "[in](https://example.org/a%20b%28c%29.html)"),
        ("<p><a href='#there'>same page</a></p>", "same page"),
        ("<p><a href='mailto:a@example.org'>mail</a></p>", "[mail](mailto:a@example.org)"),
        ("<p><img src='/i.png' alt='A  chart'> <img src=x></p>", "![A chart](https://example.org/i.png)"),
        ("<p><img src='data:image/png;base64,xx' alt='A dot'></p>", "A dot"),
        ("<p><math alttext='x^2'><mi>x</mi></math></p>", "x^2"),
        ("<details><summary>More</summary><p>inside</p></details>", "More\n\ninside"),
        ("<p>x<!-- no --><script>no</script><style>no</style></p>", "x"),
        ("<form><label>Name <input value=no></label><button>no</button></form>", "Name"),
        ("<p>nul \x00 stays visible</p>", "nul \N{REPLACEMENT CHARACTER} stays visible"),
        ("<hgroup><h1>A</h1></hgroup><section><h1>B</h1></section>", "# A\n\n# B"),
        ("text alone", "text alone"),
    ],
)
def test_what_a_page_shows_stands_in_its_markdown(html: str, expected: str) -> None:
    assert markdown(f"<main>{html}</main>") == expected


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", " java\nscript:x", "data:text/html,x", "file:///etc", "http://[", ""]
)
def test_a_link_that_is_no_page_is_its_words(link: str) -> None:
    assert markdown(f'<main><p><a href="{link}">words</a></p></main>') == "words"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<pre><code class="language-python">x = 1\n\n  y</code></pre>', "```python\nx = 1\n\n  y\n```"),
        ("<pre>a  b\n</pre>", "```\na  b\n```"),
        ("<pre>```\nfence\n```</pre>", "````\n```\nfence\n```\n````"),
        (
            '<div class="highlight-sh"><div class="highlight"><pre><span>ls</span> -l</pre></div></div>',
            "```sh\nls -l\n```",
        ),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        ('<pre><span class="linenos">1</span>x</pre>', "```\nx\n```"),
        ("<pre>  </pre><p>z</p>", "z"),
        (
            '<table><tr><td class="linenos"><pre>1</pre></td><td><pre>code</pre></td></tr></table>',
            "```\n1\n```\n\n```\ncode\n```",
        ),
    ],
)
def test_code_stands_as_it_is(html: str, expected: str) -> None:
    assert markdown(f"<main>{html}</main>") == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>2", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("<tr><td>1<td>2", "|  |  |\n|---|---|\n| 1 | 2 |"),
        ("<tr><th>a<th>b<tr><td>x|y<td>1<br>2", "| a | b |\n|---|---|\n| x\\|y | 1<br>2 |"),
        ("<tr><th colspan=2>both<tr><td>1<td>2", "| both | both |\n|---|---|\n| 1 | 2 |"),
        ("<tr><th>a<th>b<tr><td rowspan=2>x<td>1<tr><td>2", "| a | b |\n|---|---|\n| x | 1 |\n| x | 2 |"),
        ("<tr><th>a<th>b<tr><td>x<td><ul><li>1<li>2</ul>", "| a | b |\n|---|---|\n| x | - 1<br>- 2 |"),
        ("<caption>Sizes</caption><tr><th>a<th>b<tr><td>1<tr>", "Sizes\n\n| a | b |\n|---|---|\n| 1 |  |"),
        ("<tr><td>layout<tr><td>only", "layout\n\nonly"),
        ("<tr><th>a<td><tr><td>", "| a |  |".join(["|  |  |\n|---|---|\n", ""])),
    ],
)
def test_a_table_is_a_table_with_each_cell_in_its_column(rows: str, expected: str) -> None:
    assert markdown(f"<main><table>{rows}</table></main>") == expected


def test_a_table_around_tables_only_arranges_the_page() -> None:
    inner = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"

    assert markdown(f"<main><table><tr><td>left<td>{inner}</table></main>") == "left\n\n| a | b |\n|---|---|\n| 1 | 2 |"


def test_a_page_that_marks_its_main_part_is_taken_at_its_word() -> None:
    main = f"<main><nav>toc</nav><h1>T</h1>{FILLER}<aside><a href=/>ad</a></aside><aside>Mind this</aside></main>"
    html = f"<nav>menu</nav><header>top</header>{main}<footer>end</footer>"

    text = markdown(html)
    assert text.startswith("# T\n\nSome words")
    assert text.endswith("Mind this")
    assert not {"menu", "top", "toc", "ad", "end"} & set(text.split())


def test_a_page_without_marks_is_told_apart_by_its_text() -> None:
    menu = "<div class=x><ul>" + "".join(f"<li><a href=/{n}>Menu entry {n}</a>" for n in range(12)) + "</ul></div>"
    body = "<div><h1>Title</h1>" + FILLER * 4 + "<table><tr><th>a<th>b<tr><td>1<td>2</table><pre>code</pre></div>"

    text = markdown(f"<body>{menu}<div>{body}</div><div>Imprint</div></body>")
    assert "Menu entry" not in text
    for kept in ("# Title", "Some words", "| a | b |", "```\ncode\n```"):
        assert kept in text


def test_a_menu_beside_the_text_in_one_element_is_left_out() -> None:
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Go to {n}</a>" for n in range(12)) + "</ul>"
    text = markdown(f"<body><header>Brand</header><div><h1>Title</h1>{menu}{FILLER * 4}<!-- c --></div></body>")

    assert "Some words" in text
    assert "Go to 7" not in text
    assert "Brand" not in text


def test_parts_named_for_what_they_are_are_left_out() -> None:
    inner = '<div class="breadcrumbs">Home</div><div role=search>find</div><div id=sidebar>side</div><p>kept</p>'

    assert markdown(f"<main>{inner}</main>") == "kept"


def test_whom_a_quotation_is_of_stays_with_it() -> None:
    assert markdown("<main><blockquote><p>words</p><footer>Her</footer></blockquote></main>") == "> words\n>\n> Her"


def test_an_empty_main_part_gives_way_to_the_page() -> None:
    found = read_html(f"<main></main><div>{FILLER}</div>", HERE)

    assert "Some words" in found.blocks[0].text


def test_a_page_of_links_alone_is_its_links() -> None:
    links = "".join(f"<li><a href='/{number}'>Item {number}</a>" for number in range(40))

    assert "[Item 39](https://example.org/39)" in markdown(f"<body><h1>All</h1><ul>{links}</ul></body>")


def test_only_boilerplate_is_shown_rather_than_nothing_and_told() -> None:
    found = read_html("<body><nav>Home is here</nav></body>", HERE)

    assert [block.text.strip() for block in found.blocks] == ["Home is here"]
    assert found.notes == (WHOLE,)


@pytest.mark.parametrize(("words", "told"), [(10, False), (SHORT, True)])
def test_a_whole_page_is_told_where_it_could_have_parts(words: int, told: bool) -> None:
    found = read_html("<p>" + "<i>a</i> " * words + "</p>" + "<b></b>" * 10_000, HERE)

    assert (WHOLE in found.notes) is told


def test_a_page_that_only_runs_scripts_says_so() -> None:
    assert read_html("<body><div id=root></div><script>x</script></body>", HERE).notes == (
        "it has no text without running its scripts, which are not run",
    )
    assert read_html("<body><div></div></body>", HERE).notes == ("it has no text",)
    assert read_html("", HERE).blocks == ()


def test_what_a_page_hides_is_not_shown() -> None:
    hidden = "<p hidden>one</p><p style='Display : none'>two</p><p style='visibility:hidden'>three</p>"

    assert markdown(f"<main>{hidden}<p>seen</p></main>") == "seen"


def test_what_is_one_click_away_is_shown() -> None:
    tabs = "<div role=tabpanel><pre>pip</pre></div><div role=tabpanel hidden><pre>conda</pre></div>"

    assert (
        markdown(f"<main>{tabs}<p hidden=until-found>found</p></main>") == "```\npip\n```\n\n```\nconda\n```\n\nfound"
    )


@pytest.mark.parametrize(
    ("html", "anchors"),
    [
        ("<h2 id=a>T</h2>", ("a",)),
        ("<h2><a name=a></a>T<a id=b href='#b'>#</a></h2>", ("a", "b")),
        ("<section id=a><div id=b><h2>T</h2><p>x</p></div></section>", ("b", "a")),
        ("<a id=a></a><h2>T</h2>", ("a",)),
        ("<section id=a><p>first</p><h2>T</h2></section>", ()),
        ("<section id=a><p id=b>first</p><span id=c></span><h2>T</h2></section>", ("c",)),
    ],
)
def test_a_heading_is_known_by_the_names_that_lead_to_it(html: str, anchors: tuple[str, ...]) -> None:
    blocks = read_html(f"<main id=top>{html}</main>", HERE).blocks

    assert [each.anchors for each in headings(blocks)] == [anchors]


def test_links_are_relative_to_what_the_page_says() -> None:
    assert markdown("<base href='/other/'><main><a href=x>w</a></main>") == "[w](https://example.org/other/x)"
    assert markdown("<base href='javascript:'><main><a href=x>w</a></main>") == "[w](https://example.org/docs/x)"


def test_a_page_tells_about_itself() -> None:
    html = """<html lang="de-CH"><head><title> The
    title </title><meta name=Description content="What it is"><link rel="x canonical" href="/page">
    <meta property="article:published_time" content="2026-11-30"><svg><title>icon</title></svg>
    <meta http-equiv=Refresh content="0; URL='/next'"></head><body>x</body></html>"""

    assert read_html(html, HERE).facts == Facts(
        title="The title",
        description="What it is",
        language="de-CH",
        date="2026-11-30",
        canonical="https://example.org/page",
        onward="https://example.org/next",
    )
    assert read_html("<time datetime=2026-01-02>x</time>", HERE).facts == Facts(date="2026-01-02")
    assert (
        read_html("<meta property=og:title content=T><link rel=canonical href='http://['><p>", HERE).facts.title == "T"
    )
    assert len(read_html(f"<title>{'x' * 5_000}</title>", HERE).facts.title) < 1_000


HOSTILE = {
    "nested": "<div>" * 100_000 + "deep",
    "nested stress": "<b>" * 100_000 + "deep",
    "nested lists": "<ul><li>" * 100 + "deep",
    "nested in line": "<p>" + "<span>" * 200 + "deep",
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(300_000)) + ">deep</p>",
    "attributes with brackets": "<p " + " ".join(f'a{n}=">"' for n in range(300_000)) + ">deep</p>",
    "one line": "<p>" + "word " * 400_000 + "deep",
    "spans": "<table><tr><td colspan=999999999 rowspan=999999999>deep<td>x" + "<tr><td>y" * 2_000 + "</table>",
    "entities": "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><p>" + "&a;" * 1_000 + "deep",
    "headings": "<h1>x</h1>" * 20_000 + "<p>deep",
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.timeout(30)
def test_a_hostile_page_is_read_to_its_end(html: str) -> None:
    assert "deep" in markdown(html)


@pytest.mark.parametrize("html", ["<p title=it's>a</p>", '<p x="a> ' * 1_001, "<p a " * 1_000, "", "<p x='<b>'>"])
def test_tags_that_are_only_odd_stay_as_they_are(html: str) -> None:
    assert tamed(html) == html


def test_a_tag_without_an_end_is_no_reason_to_keep_the_attributes_of_others() -> None:
    many = " a=1" * 3_000

    assert tamed(f"<i x='><p{many}>deep") == "<i x='><p>deep"
    assert len(tamed(f"<p{many}")) < 10


def test_blocks_are_parted_without_losing_a_character() -> None:
    text = "x" * (3 * LONGEST_BLOCK) + "\n" + "y\n" * 500
    pieces = parted((Block("# head\n", 1, "head"), Block(text)))

    assert "".join(piece.text for piece in pieces) == "# head\n\n" + text + "\n"
    assert max(len(piece.text) for piece in pieces) <= LONGEST_BLOCK + 1
    assert [piece.level for piece in pieces[:2]] == [1, 0]


def test_markdown_is_parted_at_its_headings_and_not_inside_code() -> None:
    text = "# One\n\ntext\n\n```\n# no heading\n\n~~~\n```\n## Two `x` #\nlast"
    found = tuple(markdown_blocks(text))

    assert "".join(block.text for block in found).split() == text.split()
    assert [(block.level, block.title) for block in found if block.level] == [(1, "One"), (2, "Two x")]


BOOK = tuple(
    Block(f"{'#' * level} {title}\n", level, title)
    for level, title in [(1, "Book"), (2, "Install"), (3, "On Linux"), (2, "Use"), (3, "On Linux"), (1, "End")]
)


def test_a_section_reaches_to_the_next_heading_of_its_level() -> None:
    found = {(each.path, each.title): (each.first, each.end) for each in headings(BOOK)}

    assert found[(), "Book"] == (0, 5)
    assert found[("Book",), "Install"] == (1, 3)
    assert found[("Book", "Use"), "On Linux"] == (4, 5)
    assert found[(), "End"] == (5, 6)


@pytest.mark.parametrize(
    ("asked", "firsts"),
    [
        ("install", [1]),
        ("End", [5]),
        ("inst", [1]),
        ("nux", [2, 4]),
        ("On Linux", [2, 4]),
        ("Use > on linux", [4]),
        ("book > use", [3]),
        ("Book > Use > On Linux", [4]),
        ("*End*", [5]),
        ("nothing", []),
    ],
)
def test_a_section_is_found_by_its_heading_part_of_it_or_path(asked: str, firsts: list[int]) -> None:
    assert [each.first for each in sections(headings(BOOK), asked)] == firsts


def test_a_heading_that_holds_the_mark_of_paths_is_found_as_it_stands() -> None:
    blocks = (Block("# a > b\n", 1, "a > b"),)

    assert [each.title for each in sections(headings(blocks), "a > b")] == ["a > b"]
    assert plain("[The `x`](http://y) _z_ \u00b6") == "The x _z_"


@pytest.mark.parametrize(
    ("text", "media_type", "expected"),
    [
        ("<p>x</p>", "text/html", "x"),
        ("<HTML><p>x</p>", "", "x"),
        ("<p>x</p>", "text/plain", "<p>x</p>"),
        ('{"a": [1]}', "application/json", '{"a": [1]}'),
        ("<a/>", "application/rss+xml", "<a/>"),
        ("# T\n\nx", "text/markdown", "# T\n\nx"),
        ("", "text/plain", ""),
        ("plain", "", "plain"),
    ],
)
def test_a_page_is_read_by_its_type(text: str, media_type: str, expected: str) -> None:
    found = read_content(text, media_type, HERE)

    assert found is not None
    assert "".join(block.text for block in found.blocks).strip() == expected


def test_a_type_that_holds_no_text_is_none() -> None:
    assert read_content("x", "application/pdf", HERE) is None


def test_where_a_page_sends_its_readers_is_told_and_not_followed() -> None:
    found = read_content("<meta http-equiv=refresh content='0;url=/on'><p>x", "text/html", HERE)

    assert found is not None
    assert found.notes == ("the page sends its readers on to https://example.org/on, which was not followed",)
