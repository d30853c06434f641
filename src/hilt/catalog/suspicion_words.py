"""The ways in which a declaration speaks to the model instead of saying what its tool does.

A sign is a pattern for text whose blanks are one and whose letters are small. Gaps are bounded, so that a long
text takes no longer than its length. A faint sign says nothing alone: honest declarations are full of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One way. `says` is what is told of it."""

    kind: str
    says: str
    pattern: re.Pattern[str]
    faint: bool = False


def _sign(kind: str, says: str, *patterns: str, faint: bool = False) -> Sign:
    return Sign(kind=kind, says=says, pattern=re.compile("|".join(patterns), re.MULTILINE), faint=faint)


_TELL = r"(?:tell|mention|inform(?!ation)|notif[yi]|reveal|disclos|alert|warn|announc(?!ement)|let [^.]{0,20}know)"
_PERSON = r"(?:users?|humans?|person|people|operators?|customers?|developers?|anyone|anybody|them)\b"
_NOT = r"(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|avoid|refrain from|without|no need to)"
_EVERY = r"(?:any|every|each|all)"
_GIVE = (
    r"(?:includ|pass|send|provid|attach|append|copy|put|insert|past|fill|reveal|shar|repeat|leak|forward)(?:e|es"
    r"|ing)?"
)
_TAKE = (
    r"(?:read|open|cat|include|pass|send|provide|attach|append|copy|extract|retrieve|collect|put|insert|paste|upload"
    r"|post|share|reveal|output|print|dump|return|fill|repeat|write|summari[sz]e)"
)
_URL = r"(?:https?|s3|gs|ftp)://[^\s)\"'>]+"
_ADDRESS = r"[\w.+-]+@(?!(?:\w+\.)?example\.)[\w-]+\.[a-z]{2,}"

SIGNS = (
    _sign(
        "override",
        "it tells the model to leave its instructions",
        r"\b(?:ignor|disregard|forget)\w*\b.{0,30}\b(?:previous|prior|above|earlier|preceding|your|original)\b.{0,25}"
        r"\b(?:instruction|prompt|rule|guideline|directive|polic|restriction|constraint|guardrail|alignment)",
        r"\b(?:overrid|bypass|overrul|supersed)\w*\b.{0,30}\b(?:previous|prior|earlier|your|original|safety)\b.{0,25}"
        r"\b(?:instruction|system prompt|guideline|directive|guardrail|alignment)",
        r"\byou are now (?:an? |acting|operating|the |\w*gpt\b)|\byour new (?:task|role|goal|job|instructions?)\b",
        r"\b(?:your|previous) (?:system )?(?:instructions|guidelines|prompts?|tool descriptions) (?:have|has|are|is) "
        r"(?:been )?(?:now )?(?:changed|superseded|replaced|void|updated)|\b(?:unrestricted|uncensored) (?:model|ai)\b",
        r"\bnew (?:system )?instructions? ?:|\bfrom now on,? (?:you|always|all|every)\b|\bpretend (?:to be"
        r"|you are)\b",
        r"(?:\u5ffd\u7565|\u65e0\u89c6|\u5fd8\u8bb0|\u4e0d\u8981\u7406\u4f1a).{0,6}(?:\u4e4b\u524d|\u4ee5\u4e0a"
        r"|\u5148\u524d|\u524d\u9762|\u6240\u6709|\u5176\u4ed6).{0,8}(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a)",
        r"\bignor\w+\b.{0,25}\b(?:instrucciones|instru\u00e7\u00f5es|anweisung\w*|istruzion\w*)"
        r"|\bignore[rz] .{0,25}\binstructions",
        r"(?:\u4ee5\u524d|\u4e0a\u8a18|\u3053\u308c\u307e\u3067)\u306e\u6307\u793a\u3092\u7121\u8996",
    ),
    _sign(
        "secrecy",
        "it tells the model to keep something from the person",
        rf"\b{_NOT}\b[^.]{{0,30}}\b{_TELL}\w*\b[^.]{{0,40}}\b{_PERSON}",
        rf"\b{_NOT} (?:ever )?(?:mention|reveal|disclose|talk about|discuss|acknowledge) (?:this|that|these|it"
        rf"|having|the fact|anything|your)\b",
        rf"\b(?:hide|hidden|conceal|secret|invisible|keep)\w*\b.{{0,25}}\bfrom (?:the |any )?{_PERSON}",
        rf"\b{_PERSON}[^.]{{0,15}}\b(?:must|should|need|does|do|will|can)(?: not|n't|not)\b[^.]{{0,20}}"
        r"\b(?:know|notice|see this|be (?:told|informed|aware|shown|notified|asked))",
        r"\b(?:leave|omit|exclude|keep)\b.{0,30}\b(?:out of|from) (?:your|the) (?:reply|response|answer|summary"
        r"|final)\b",
        r"\b(?:covertly|stealthily|surreptitiously|without (?:the )?(?:user|person|human|their)(?:'?s)?"
        r" (?:knowledge|knowing|noticing|awareness))\b",
        r"\b(?:silently|secretly|quietly|discreetly) (?:also )?(?:read|send|call|forward|copy|include|upload|post"
        r"|collect|invoke|attach|append|bcc)\b",
        r"(?:\u4e0d\u8981|\u8bf7\u52ff|\u5207\u52ff|\u4e0d\u5f97|\u65e0\u9700|\u4e0d\u80fd"
        r"|\u7981\u6b62).{0,6}(?:\u544a\u8bc9|\u544a\u77e5|\u901a\u77e5|\u63d0\u53ca|\u900f\u9732|\u63d0\u9192"
        r"|\u8ba9).{0,10}(?:\u7528\u6237|\u4f7f\u7528\u8005|\u4ed6\u4eba)",
    ),
    _sign(
        "precedence",
        "it wants to be called before other tools or for everything",
        rf"\b(?:before|prior to|after|whenever|{_EVERY} time)\b.{{0,25}}\b{_EVERY}(?: of the)?(?: other)? (?:tool"
        rf"|function|mcp|server)s?\b",
        r"\b(?:before|prior to) (?:using|calling|invoking|running) (?:another|other|different)\b",
        r"\b(?:always|must)\b.{0,15}\b(?:call|use|run|invoke)(?:ed|d)? (?:this|it)(?: tool| function)? first\b",
        rf"\b(?:always|must|first)\b.{{0,25}}\b(?:call|use|run|invoke|execute)(?:ed|d)?\b.{{0,25}}\b(?:on|for|at|in"
        rf"|with|before|after) "
        rf"(?:the (?:start|beginning|end) of )?{_EVERY} (?:user )?(?:request|message|question|task|conversation"
        rf"|prompt|response|reply|turn|session|chat)s?\b",
        r"\u5728(?:\u4f7f\u7528|\u8c03\u7528).{0,8}(?:\u4efb\u4f55|\u5176\u4ed6"
        r"|\u6240\u6709).{0,6}\u5de5\u5177.{0,6}\u524d",
    ),
    _sign(
        "rivalry",
        "it speaks against other tools or changes what they do",
        rf"\b{_NOT}\b.{{0,10}}\b(?:us|call|trust|invok)(?:e|ing)?\b.{{0,25}}\b(?:other|another|original|official"
        rf"|built-?in|native|competing)\b"
        r".{0,20}\b(?:tool|server|function)s?\b",
        r"\b(?:modif|chang|alter|redefin|overrid|replac|intercept|affect)\w*\b.{0,25}\b(?:behaviou?rs?|outputs?"
        r"|arguments?|parameters?|effects?)\b"
        r".{0,20}\b(?:of|to|for) (?:the )?(?:other|another|all|any|existing)\b.{0,20}\b(?:tool|server|function)s?\b",
        r"\b(?:other|previous|existing|original) (?:\w+ )?(?:tool|server|version)s?\b.{0,25}\b(?:deprecated|broken"
        r"|unsafe|insecure|compromised|disabled|obsolete)\b",
        r"\b(?:prefer|choose|favou?r|select)\b.{0,20}\b(?:this|it)\b.{0,20}\b(?:over|instead of|rather than)\b.{0,20}"
        r"\b(?:other|another|competing|existing) (?:tool|server|function)s?\b",
        r"\b(?:other|another) (?:tool|server|function)'?s'?\b.{0,40}\b(?:must|always|instead|redirect|replace)\b",
    ),
    _sign(
        "tags",
        "it is written like a message of the system",
        r"<\s*/?\s*(?:important|system|secret|hidden|critical|admin|assistant|sys|override|attention|internal"
        r"|instructions?)[\w-]*\b[^<>]{0,40}>",
        r"(?<!\bto )(?<!\bfor )\b(?:ai|llm|assistant|model|agent)s?"
        r" ?: ?(?:you|please|use|call|read|send|after|before|always|never|also"
        r"|when)\b",
        r"\b(?:treat|follow|obey|regard)\b.{0,40}\b(?:outputs?|results?|responses?|returned|returns)\b.{0,40}"
        r"\bas (?:an? |new )?(?:instruction|command|order)s?\b|\binstructions? (?:returned|given"
        r"|sent) by this tool\b",
        r"\[/?inst\]|<\|[a-z_]{2,20}\|>|<</?sys>>|\[\[?\s*(?:system|hidden|admin|internal|override)\b[^\]]{0,40}\]"
        r"|<!--",
        r"\b(?:system|assistant|developer) (?:message|note|override|notice|instruction|prompt|directive) ?:|(?:^"
        r"|[.!?] )(?:system|assistant) ?:",
        r"(?:begin|start|end) (?:of )?(?:system|hidden|secret|admin) (?:prompt|message|instructions?)",
    ),
    _sign(
        "private files",
        "it names files in which secrets are kept",
        r"(?<!\w)\.(?:ssh|gnupg|netrc|npmrc|pypirc|git-credentials|(?:bash|zsh)_history|cursor|claude)\b"
        r"|(?<!\w)\.(?:aws|kube)/"
        r"|\bid[_ ]?(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow)\b|\bmcp\.json\b|claude_desktop_config"
        r"|\bwallet\.dat\b|/proc/self/environ",
        r"~/\.config/[^\s]{0,60}(?:credential|token|secret|key)|\bsecrets\.(?:ya?ml|json|toml)\b",
        rf"\b{_TAKE}\b.{{0,40}}[\s/'\"`(]\.env\b",
    ),
    _sign(
        "credentials",
        "it wants credentials handed over",
        rf"\b{_GIVE}\b.{{0,30}}\b(?:api keys?|tokens?|secrets?|credentials?|passwords?)\b.{{0,20}}"
        r"\b(?:found|stored|set|kept|read) (?:in|from) (?:the |its |your )?(?:environment|clipboard|keychain|memory"
        r"|config\w*)\b",
        r"\b(?:ask|prompt|get)\b.{0,20}\buser\b.{0,10}\b(?:for|to (?:give|enter|provide))\b.{0,20}\b(?:password|2fa"
        r"|otp|pin|seed phrase|card number)",
    ),
    _sign(
        "conversation",
        "it asks for the conversation or the model's own instructions",
        rf"\b{_GIVE}\b.{{0,60}}\b(?:(?:conversation|chat|dialog(?:ue)?|message) (?:history|context|transcript|log)s?"
        r"|(?:full|entire|whole|complete|current|this|our|previous|past|verbatim) (?:conversation|chat"
        r"|dialog(?:ue)?|user (?:prompt|message)s?)"
        r"|(?:your|the|full|original) (?:system (?:prompt|message)|instructions verbatim)|your (?:prompt"
        r"|instructions|reasoning)"
        r"|everything (?:the )?user (?:has )?(?:said|written|typed|asked)|all (?:of )?(?:the )?user'?s (?:messages"
        r"|words)"
        r"|chain of thought|(?:other|previous) tools?'? (?:output|result)s?|list of (?:all )?available tools)\b",
        r"^(?:the )?(?:full|entire|whole|complete|verbatim) (?:conversation|chat|dialog(?:ue)?|system prompt"
        r"|message history|context)",
        r"^(?:the |your )?(?:system prompt|conversation (?:history|context|so far)|chat history|chain of thought"
        r"|list of (?:all )?available tools)",
        r"\u5bf9\u8bdd(?:\u5386\u53f2|\u8bb0\u5f55).{0,12}(?:\u53d1\u9001|\u4f20\u5165|\u586b\u5165|\u4f20\u9012"
        r"|\u9644\u4e0a)|(?:\u53d1\u9001|\u4f20\u5165|\u586b\u5165|\u4f20\u9012|\u9644\u4e0a"
        r"|\u5305\u542b).{0,12}(?:\u5b8c\u6574|\u5168\u90e8|\u6240\u6709).{0,4}\u5bf9\u8bdd",
    ),
    _sign(
        "sending",
        "it tells the model to send something to an address of its own",
        rf"\b(?:must|always|also|instead|{_EVERY}|first|then|additionally|silently|secretly|automatically"
        rf"|every)\b.{{0,60}}"
        rf"\b(?:send|post|forward|upload|transmit|submit|exfiltrate|b?cc|copy|report|deliver|redirect"
        rf"|replace)\w*\b[^\[(]{{0,60}}(?:{_URL}|{_ADDRESS})",
        rf"\b(?:b?cc|forward|redirect|exfiltrate)\w*\b.{{0,30}}{_ADDRESS}",
        rf"\b(?:change|replace|set|route|rewrite)\b.{{0,40}}\b(?:recipient|destination|address|to field|iban"
        rf"|account)\w*\b.{{0,30}}(?:{_URL}|{_ADDRESS})",
    ),
    _sign(
        "commands",
        "it holds a command to run",
        r"\b(?:curl|wget)\b.{0,80}\|\s*(?:ba|z)?sh\b|\brm -rf? [~/]|\bbase64 (?:-d|--decode)\b|\bnc -[a-z]"
        r"|/dev/tcp/|\bpowershell(?:\.exe)? -|\bchmod (?:\+x|[0-7]{3}) |\bcrontab -",
        r"\b(?:curl|wget)\b.{0,40}https?://",
    ),
    _sign(
        "unasked",
        "it tells the model to act without asking",
        r"\bwithout (?:asking|prompting|confirming|requesting|waiting for|seeking|requiring)\b.{0,40}\b(?:user"
        r"|human|person|confirmation|permission|approval|consent)",
        r"\b(?:do not|don't|never|no need to) (?:ask|prompt|wait)\b.{0,20}\b(?:for )?(?:confirmation|permission"
        r"|approval|consent)\b",
        r"\b(?:the )?user (?:has|have) (?:already )?(?:consented|agreed|approved|authori[sz]ed|given (?:consent"
        r"|permission))",
        r"\b(?:no need to|do not|don't) (?:confirm|check|bother|disturb"
        r"|double-check)\b.{0,12}\b(?:with )?(?:the )?(?:user|them|human)\b",
        r"\b(?:auto(?:matically)?[- ]?(?:approve|confirm)|skip (?:the |any |all )?(?:confirmation|approval"
        r"|permission))",
    ),
    _sign(
        "encoded",
        "it tells the model to decode a text and follow it",
        r"\bdecode\b.{0,40}\b(?:and|then)\b.{0,20}\b(?:follow|execute|obey|run|do)\b",
    ),
    _sign(
        "secrets",
        "it asks for credentials",
        rf"\b{_TAKE}\b.{{0,50}}\b(?:api[ _-]?keys?|passwords?|private keys?|ssh keys?|credentials?|(?:access|auth"
        rf"|session|bearer) tokens?"
        r"|environment variables?|env vars?|seed phrases?|mnemonics?|credit cards?)\b",
        r"(?:\u8bfb\u53d6|\u53d1\u9001|\u4e0a\u4f20|\u63d0\u4f9b).{0,12}(?:\u5bc6\u94a5|\u79c1\u94a5|\u5bc6\u7801"
        r"|\u51ed\u636e|\u4ee4\u724c)",
        faint=True,
    ),
    _sign(
        "pressure",
        "it presses",
        r"\b(?:otherwise|or else|if you (?:do not|don't|fail))\b.{0,50}\b(?:not work|fail|crash|break|terminat|lose"
        r"|lost|die|error|denied|blocked)",
        r"\b(?:mandatory|non-negotiable|compliance|(?:very|extremely|critically) important|security (?:check"
        r"|requirement|protocol|audit)|pre-?authori[sz]ed"
        r"|pre-?approved|administrators? (?:has|have|requires?)|for (?:audit|logging|security|compliance"
        r"|verification|telemetry|billing) purposes)\b",
        r"\b(?:note|message|instructions?|attention) (?:for|to) (?:the |any |all )?(?:ai |llm )?(?:ai|llm|model"
        r"|assistant|agent)s?\b",
        r"\[?\bimportant(?: note| system instruction)?\b ?[:\]]",
        faint=True,
    ),
)


def signs_in(text: str) -> Iterator[tuple[Sign, int]]:
    """Each sign that a text has, and where it begins."""
    for sign in SIGNS:
        found = sign.pattern.search(text)
        if found is not None:
            yield sign, found.start()
