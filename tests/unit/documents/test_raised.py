"""Raised, lowered and struck text, formulas and signs of special fonts are told from plain text: 10^6 is not 106."""

import io
from xml.etree import ElementTree

import pptx
import pytest
from pptx.oxml import parse_xml

from hilt.documents.office_math import DEEPEST, math_text
from tests.unit.documents.making import OFFICE, open_document, word
from tests.unit.documents.reading import read

SUP, SUB = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'

BOX = "<w:r><w:fldChar><w:ffData>{}</w:ffData></w:fldChar></w:r>"
LISTED = "<w:listEntry w:val='one'/><w:listEntry w:val='two'/>"


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (run("10") + run("6", SUP) + run(" ops"), "10^6 ops"),
        (run("10") + run("-", SUP) + "<w:proofErr/>" + run("6 ", SUP) + run("kg"), "10^(-6) kg"),
        (run("H") + run("2", SUB) + run("O"), "H_2O"),
        (run("new ") + run("old", "<w:strike/>") + run("er", "<w:dstrike w:val='1'/>"), "new ~~older~~"),
        (run("kept", "<w:strike w:val='0'/>"), "kept"),
        (run("see") + "<w:r><w:rPr>" + SUP + "</w:rPr><w:footnoteReference w:id='2'/></w:r>", "see[^2]"),
        (BOX.format("<w:checkBox><w:checked/></w:checkBox>") + run(" yes"), "[x] yes"),
        (BOX.format("<w:checkBox><w:checked w:val='0'/><w:default/></w:checkBox>") + run(" no"), "[ ] no"),
        (BOX.format("<w:checkBox><w:default w:val='1'/></w:checkBox>") + run(" by default"), "[x] by default"),
        (BOX.format(f"<w:ddList><w:result w:val='1'/>{LISTED}</w:ddList>"), "two"),
        (BOX.format(f"<w:ddList><w:result w:val='9'/>{LISTED}</w:ddList>") + run("x"), "x"),
        (BOX.format(f"<w:ddList>{LISTED}</w:ddList>") + "<w:r><w:fldChar/></w:r>", "one"),
        (f"<w:r><w:ruby><w:rt>{run('kan')}</w:rt><w:rubyBase>{run('K')}</w:rubyBase></w:ruby></w:r>", "K(kan)"),
        (f"<w:r><w:ruby><w:rubyBase>{run('K')}</w:rubyBase></w:ruby></w:r>", "K"),
        ("<w:r><w:sym w:font='Symbol' w:char='F06D'/></w:r>" + run("m"), "\u03bcm"),
        ("<w:r><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>", "\u2611"),
        ("<w:r><w:sym w:font='Webdings' w:char='F0FE'/></w:r>", "[symbol Webdings F0FE]"),
        ("<w:r><w:sym w:font='Arial' w:char='20AC'/></w:r>", "\u20ac"),
        ("<w:r><w:sym w:font='Arial' w:char='no'/></w:r>", "[symbol Arial no]"),
    ],
)
def test_what_word_raises_lowers_strikes_or_draws_is_marked(runs: str, expected: str) -> None:
    assert read(word(f"<w:p>{runs}</w:p>")).texts == [expected]


def t(text: str) -> str:
    return f"<r><t>{text}</t></r>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (f"<f><num>{t('a')}</num><den>{t('b+1')}</den></f>{t('+c')}", "a/(b+1)+c"),
        (f"<sSup><e>{t('x')}</e><sup>{t('2n')}</sup></sSup>", "x^2n"),
        (f"<sSubSup><e>{t('x')}</e><sub>{t('i')}</sub><sup>{t('-1')}</sup></sSubSup>", "x_i^(-1)"),
        (f"<sPre><sub>{t('6')}</sub><sup>{t('14')}</sup><e>{t('C')}</e></sPre>", "_6^14C"),
        (f"<rad><deg/><e>{t('2')}</e></rad>", "sqrt(2)"),
        (f"<rad><deg>{t('3')}</deg><e>{t('2')}</e></rad>", "root_3(2)"),
        (
            f"<nary><naryPr><chr val='\u2211'/></naryPr><sub>{t('i=1')}</sub><sup>{t('n')}</sup><e>{t('i')}</e></nary>",
            "\u2211_(i=1)^n i",
        ),
        (f"<d><e>{t('a')}</e><e>{t('b')}</e></d>", "(a|b)"),
        (f"<d><dPr><begChr val='{{'/><endChr val=''/></dPr><eqArr><e>{t('1')}</e></eqArr><e>{t('1')}</e></d>", "{1"),
        (f"<m><mr><e>{t('1')}</e><e>{t('0')}</e></mr><mr><e>{t('0')}</e><e>{t('1')}</e></mr></m>", "[1, 0; 0, 1]"),
        (f"<eqArr><e>{t('x=1')}</e><e>{t('y=2')}</e></eqArr>", "x=1; y=2"),
        (f"<func><fName>{t('sin')}</fName><e>{t('x')}</e></func>", "sin x"),
        (f"<limLow><e>{t('lim')}</e><lim>{t('n')}</lim></limLow>", "lim_n"),
        (f"<acc><e>{t('x')}</e></acc>", "x\u0302"),
        (f"<unknown><ctrlPr>{t('no')}</ctrlPr>{t('kept')}</unknown>", "kept"),
    ],
)
def test_a_formula_keeps_its_meaning_on_one_line(formula: str, expected: str) -> None:
    assert read(word(f"<w:p>{run('f: ')}<oMathPara><oMath>{formula}</oMath></oMathPara></w:p>")).texts == [
        f"f: {expected}"
    ]


def test_a_formula_without_end_keeps_its_letters() -> None:
    deep = 10 * DEEPEST
    element = ElementTree.fromstring("<oMath>" + "<e>" * deep + "<r><t>x</t></r>" + "</e>" * deep + "</oMath>")

    assert math_text(element) == "x"


def test_slides_mark_the_same_and_give_of_two_forms_one() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    line = slide.shapes.title.text_frame.paragraphs[0]  # type: ignore[union-attr]  # the layout has a title
    for text, name, value in (
        ("10", "", ""),
        ("6", "baseline", "30000"),
        (" H", "baseline", "0"),
        ("2", "baseline", "-25000"),
        ("O ", "", ""),
        ("old", "strike", "sngStrike"),
    ):
        each = line.add_run()
        each.text = text
        if name:
            each.font._element.set(name, value)
    choice = "<a:Choice Requires='a14'><a:m><a:oMath><a:r><a:t>x</a:t></a:r></a:oMath></a:m></a:Choice>"
    forms = f"<a:AlternateContent xmlns:a='urn:a'>{choice}<a:Fallback><a:r><a:t>no</a:t></a:r></a:Fallback>"
    line._p.append(parse_xml(f"{forms}</a:AlternateContent>"))
    file = io.BytesIO()
    made.save(file)

    assert read(file.getvalue()).texts == ["# 10^6 H_2O ~~old~~x"]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ('style:text-position="super 58%"', "10^6 m"),
        ('style:text-position="33% 58%"', "10^6 m"),
        ('style:text-position="sub 58%"', "10_6 m"),
        ('style:text-position="-33% 58%"', "10_6 m"),
        ('style:text-position="0% 100%"', "106 m"),
        ('style:text-line-through-style="solid"', "10~~6~~ m"),
        ('style:text-line-through-style="none"', "106 m"),
    ],
)
def test_open_documents_mark_the_same(style: str, expected: str) -> None:
    runs = f'<style:style style:name="T1"><style:text-properties {style}/></style:style>'
    body = '<text:p>10<text:span text:style-name="T1">6</text:span> m</text:p>'
    content = (
        f"<office:d {OFFICE} xmlns:style='urn:s'><office:automatic-styles>{runs}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:d>"
    )

    assert read(open_document("text", "", **{"content.xml": content})).texts == [expected]
