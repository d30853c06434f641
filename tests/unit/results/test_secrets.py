"""Credentials do not reach what is kept; ordinary text does, unchanged."""

import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.results.secrets import LONGEST, SecretMasker, mask_secrets

# Put together here, so that no scanner of repositories takes this file for a leak.
KEY_LINES = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "a1B2" * 3] * 12)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES}\nabcd==\n-----END RSA PRIVATE KEY-----"
ENCRYPTED = PEM.replace("-----\nMI", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\nMI", 1)
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SECRETS = {
    "aws access key": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "Y34FZKBOKMUTVV7A"],
    "github token": [f"gh{kind}_" + "16C7e42F292c6912E7710c838347Ae178B4a" for kind in "pousr"]
    + ["github_pat_" + "11ABCDEFG0" * 6],
    "gitlab token": ["glpat-" + "Zx9_abcdEFGH-1234567"],
    "slack token": ["xoxb-" + "2345678901-2345678901234-abcDEFghiJKLmnoPQR", "xoxp-" + "1-2-3-0123456789abcdef"],
    "anthropic key": ["sk-ant-" + "api03-" + "Ab1_" * 20 + "AA"],
    "openai key": ["sk-" + "aB3" * 16, "sk-proj-" + "aB3_-x" * 12],
    "openrouter key": ["sk-or-" + "v1-" + "0123456789abcdef" * 4],
    "google api key": ["AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"[:35]],
    "stripe key": ["sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"],
    "npm token": ["npm_" + "aB3d" * 9],
    "hugging face token": ["hf_" + "aBcD" * 8 + "eF"],
    "json web token": [JWT],
    "private key": [PEM, ENCRYPTED, PEM.replace("\n", "\\n"), PEM.replace("RSA ", "").replace("\n", " ")],
}
EACH = [(name, secret) for name, secrets in SECRETS.items() for secret in secrets]


@pytest.mark.parametrize(("name", "secret"), EACH, ids=[f"{name}-{at}" for at, (name, _) in enumerate(EACH)])
@pytest.mark.parametrize(
    "around", ["{}", "key={} ", '{{"token": "{}"}}', "line\\n{}\\nline", "a\n{}\nb", "('{}',)"], ids=range(6)
)
def test_a_credential_is_replaced_and_nothing_around_it(name: str, secret: str, around: str) -> None:
    assert mask_secrets(around.format(secret)) == (around.format(f"[hilt masked: {name}]"), 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Authorization: Bearer abc123def456ghi7",
            "Authorization: Bearer [hilt masked: authorization]",
        ),
        (
            '{"authorization": "Bearer abc123def456ghi7"}',
            '{"authorization": "Bearer [hilt masked: authorization]"}',
        ),
        (
            "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZDE=",
            "Proxy-Authorization: Basic [hilt masked: authorization]",
        ),
        (
            "git clone https://ann:hunter2@example.com/a.git",
            "git clone https://ann:[hilt masked: password]@example.com/a.git",
        ),
        ("redis://:s3cr3t@10.0.0.1:6379/0", "redis://:[hilt masked: password]@10.0.0.1:6379/0"),
        (
            "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = [hilt masked: aws secret key]",
        ),
        (
            '\\"SecretAccessKey\\": \\"' + "wJalrXUtnFEMI/K7MDENG" + '/bPxRfiCYEXAMPLEKEY\\"',
            '\\"SecretAccessKey\\": \\"[hilt masked: aws secret key]\\"',
        ),
    ],
    ids=["bearer", "bearer in JSON", "basic", "url", "url without user", "aws", "aws in escaped JSON"],
)
def test_only_the_secret_of_a_header_setting_or_url_is_replaced(text: str, expected: str) -> None:
    assert mask_secrets(text) == (expected, 1)


@pytest.mark.parametrize(
    "text",
    [
        "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
        str(uuid.UUID(int=1 << 100)),
        "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 40,
        "class='sk-circle-fade-dot sk-estimator-doc-link' task-1234567890abcdef1234567890abcdef12",
        'headers["Authorization"] = f"Bearer {token}"',
        "Authorization: Bearer <your-token-goes-here>",
        "postgresql://user:${PASSWORD}@db/app postgresql://user:password@localhost/db",
        "http://localhost:8080/path@2x.png https://[::1]:80/a",
        'if text.startswith("-----BEGIN PRIVATE KEY-----"): raise Leak',
        "-----BEGIN CERTIFICATE-----\n" + KEY_LINES + "\n-----END CERTIFICATE-----",
        "ghp_short AKIA AKIAlowercaseletters1 eyJhbGciOiJIUzI1NiJ9 xoxo-kisses hf_hub_download_with_a_long_name_here",
        "package-lock sha512-" + "aB3/" * 22 + "==",
    ],
    ids=range(12),
)
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert mask_secrets(text) == (text, 0)


def test_a_private_key_whose_end_was_cut_off_is_replaced_up_to_the_cut() -> None:
    cut = PEM[: len(PEM) // 2]

    masked, count = mask_secrets(f"cat id_rsa\n{cut}")

    assert count == 1
    assert masked.startswith("cat id_rsa\n[hilt masked: private key]")
    assert len(masked) < 80


def test_what_is_masked_is_not_masked_again() -> None:
    text = " ".join(secret for _, secret in EACH) + " https://a:b@c.d Authorization: Bearer abc123def456ghi7"
    once, count = mask_secrets(text)

    assert count == len(EACH) + 2
    assert mask_secrets(once) == (once, 0)


PARTS = st.one_of(
    st.sampled_from([secret for _, secret in EACH]),
    st.sampled_from(
        ["https://ann:hunter2@example.com", "Authorization: Bearer abc123def456ghi7", "\\n", " ", "-", "é"]
    ),
    st.text(max_size=20),
    st.integers(1, LONGEST).map(lambda length: "lorem ipsum " * (length // 12)),
)


@given(st.lists(PARTS, max_size=12), st.data())
def test_pieces_come_out_as_the_whole_does(parts: list[str], choose: st.DataObject) -> None:
    text = "".join(parts)
    masker = SecretMasker()
    given_out: list[str] = []
    at = 0
    while at < len(text):
        size = choose.draw(
            st.sampled_from([1, 7, 100, 5_000, 3 * LONGEST]) if len(text) < 500 else st.integers(999, 99_999)
        )
        given_out.append(masker.feed(text[at : at + size]))
        at += size
    given_out.append(masker.finish())

    assert ("".join(given_out), masker.count) == mask_secrets(text)


@pytest.mark.parametrize(
    "unit",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJ",
        "-----BEGIN PRIVATE KEY-----\n",
        "://a:b",
        "://",
        "sk-",
        "sk-ant-api03-",
        "Authorization: Bearer ",
        "xoxb-",
        "ghp_",
        "A" * 23 + "\n",
        "aws_secret_access_key=",
        "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n" * 17,
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    started = time.process_time()
    mask_secrets(text)

    # The slowest takes about 0.1 s; a pattern that went over the rest from each place would take hours.
    assert time.process_time() - started < 5
