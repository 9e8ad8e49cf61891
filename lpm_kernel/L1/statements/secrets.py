"""What looks like a secret: said before it is shared, so that the person decides about it.

It reads words and shapes, not meaning: what it misses is shared as the grant says, and what it
takes for a secret waits for a yes. English, Japanese and Chinese.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from bisect import bisect_left, bisect_right
from contextlib import suppress
from enum import StrEnum
from typing import Final


class Secret(StrEnum):
    """What it looks like."""

    CODE = "code"
    """A code, a PIN, a password, or where a key lies."""
    KEY = "key"
    """A key or a token of a program."""
    ACCOUNT = "account"
    """A number of an account, a card or a passport."""
    HEALTH = "health"
    CONFIDED = "confided"
    """Somebody told it in confidence."""


_NEAR: Final = 40
"""Characters between a word such as “PIN” and what it names."""
_CODE_WORDS = (
    r"(?:(?:door|gate|entry|access|alarm|lock|safe|security|unlock|pass|key|garage"
    r"|building)[ -]?codes?|combinations?"
    r"|pins?(?: (?:code|number)s?)?|passcodes?|alarm|safe|lockbox|padlock|vault|keypad|locker)"
)
_UNITS = (
    r"(?:cm|mm|km|kg|m|g|%|met(?:re|er)s?|years?|euros?|年|月|日|歳|岁|センチ|メートル|キロ|円|元"
    r"|本|個|个|人|米|公)"
)
_VALUE = rf"(?<![\d.])(?<!\bat )\d(?:[ \-]?\d){{2,9}}+(?![\d.]*+\d)(?! ?{_UNITS}(?![a-z]))"
_NAMES_CODE = re.compile(rf"\b{_CODE_WORDS}\b", re.IGNORECASE)
_IS_VALUE = re.compile(_VALUE)
_PLAIN_CODE = re.compile(
    r"\bcode\b(?: (?:to|for|of) [^\n.]{1,40}?)?(?: is| was|:|=| ＝) ?[“\"']?"
    r"(?=\S*\d)[\w\-#*]{3,12}",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"\b(?:(?:bike|door|phone|screen|car|suitcase) )?(?:locks?|gate|door|garage|phone|screen"
    rf"|suitcase)\b"
    r"(?: is(?: now| still)?|"
    r" ?[:=]|[^\n.]{0,20}?\b(?:opens?|unlocks?|punch|type|press|dial|enter)\b[^\n.]{0,20}?)"
    rf" ?{_VALUE}"
    r"|\b(?:safe|lock|dial|combination)\b[^\n]{0,20}\b(?:left|right) \d{1,2}\b[^\n]{0,12}\b"
    r"(?:left|right) \d{1,2}\b"
    r"|\b(?:backup|recovery|one-time|verification|2fa)[ -]codes?\b[^\n]{0,30}?"
    r"(?=[\w\-]{0,12}\d)[\w\-]{5,}",
    re.IGNORECASE,
)
_KEY_LIES = re.compile(
    r"\bkeys?\b[^\n.]{0,30}\b(?:under|beneath|behind|inside|in|on top of)\b[^\n.]{0,20}"
    r"\b(?:mat|doormat|(?:flower|plant)?pots?|planter|stone|brick|step|gnome|gutter|letterbox"
    r"|meter box)\b"
    r"|鍵は?[^\n。]{0,12}の(?:下|中|裏|後ろ|上)|钥匙[^\n。]{0,4}(?:在|藏)[^\n。]{0,8}"
    r"(?:下|里|后|上|底)",
    re.IGNORECASE,
)
_OTHER_CODES = re.compile(
    r"\b(?:order|booking|reservation|product|promo\w*|discount|coupon|voucher|zip|postal|postcode"
    r"|area|dress|source|bar|error"
    r"|country|tracking|model|flight|colour|color|exit|status)[ -]?code\b",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"\b(?:pass ?words?|passphrases?|pwd?)\b[^\n.]{0,30}?"
    r"(?:\bis\b|\bare\b|:|=| [-–]|\bset to\b|\bto\b) ?[“\"'`]?\S{3,}"
    r"|\b(?:pass ?words?|pwd?)\b ?(?=[^\s\d]{0,20}\d)(?=[^\sA-Za-z]{0,20}[A-Za-z])\S{5,}"
    r"|\bwi-?fi ?[:=] ?(?=[^\s\d]{0,20}\d)\S{5,}"
    r"|\b(?:wi-?fi|router|login|network|ssid|user(?:name)?|admin)\b[^\n/]{0,30}/ ?"
    r"(?=[^\s\d]{0,20}\d)\S{5,}"
    r"|(?:パスワード|合言葉|暗号|密码|密碼|口令)[^\n。]{0,12}?"
    r"(?:は|が|是|为|為|改成了?|换成了?|:|=|「|“)\s*[^\s。]{2,}"
    r"|(?:パスワード|合言葉)を[^\n。]{2,20}?に(?:し|変|替)",
    re.IGNORECASE,
)
_ASIAN_CODE = re.compile(
    rf"(?:暗証(?:番号|コード)|暗証|金庫|開け方|解除(?:番号|コード)|ドアコード|キーコード|鍵の番号"
    rf"|ロック(?:番号|の番号|解除|は)|ロッカー|PIN|ピン番号|密码|密碼|验证码|保险箱|保險箱|门禁"
    rf"|門禁|开锁码)"
    rf"[^\n。]{{0,20}}?{_VALUE}",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:sk|pk|rk)[-_]"
    r"(?:live|test|proj|ant)?[-_]?[A-Za-z0-9_\-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_\w{20,}|\bglpat-[\w\-]{16,}|\bxox[abprs]-[\w\-]{10,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[\w\-]{30,}"
    r"|(?<![\w\-])eyJ[\w\-]{10,}+\.[\w\-]{10,}+\.[\w\-]{5,}"
    r"|\b(?:api|access|secret|auth|private|bearer)[ _-]?(?:key|token|secret)s?\b[^\n]{0,15}?"
    r"(?:is|:|=) ?[“\"'`]?[\w\-./+]{8,}"
    r"|\b(?:seed|recovery|mnemonic) (?:phrase|words?)\b[^\n]{0,12}?(?:is|are|:|=)",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(r"(?<![\d-])(?:\d[ ‐−–ー-]?){12,18}\d(?![\d-])")
_ACCOUNT = re.compile(
    r"\b(?:sort code|routing|passport|social security|ssn|national insurance|tax id"
    r"|driver'?s licen[cs]e|credit card|debit card"
    r"|(?:account|insurance|member|policy) (?:number|no\b\.?|nr\b\.?|#)|cvv|cvc|iban)\b\.?"
    r"(?: (?:number|no\.?|nr\.?|#))?[^\n.]{0,20}?(?=[A-Z0-9\- ]{0,3}\d)[A-Z0-9][A-Z0-9\- ]{2,20}"
    r"|\b(?:accounts?|insurance)\b[^\n.]{0,20}?(?<![\d.])\d(?:[ \-]?\d){4,}"
    r"|(?<![\d\-])\d{3}-\d{2}-\d{4}(?![\d\-])"
    r"|(?:口座(?:番号)?|マイナンバー|個人番号|旅券番号|パスポート番号|カード番号|免許証番号"
    r"|保険証番号|账号|帳號|账户|银行卡|護照|护照|身份证|身分證|病歷號|病历号|カルテ番号|社保号"
    r"|社會保險號|医保号)"
    r"[^\n。]{0,12}?[A-Z]{0,3}\d[\d \-]{3,}|信用卡[^\n。]{0,8}?\d[\d \-]{7,}",
    re.IGNORECASE,
)
_HEALTH = re.compile(
    r"\b(?:diagnos(?:ed|is|es)|biopsy|chemo(?:therapy)?|cancer|tumou?rs?|hiv|(?-i:AIDS|STDs?)"
    r"|depress(?:ion|ed)|bipolar|schizophreni\w*|anorexi\w*|bulimi\w*"
    r"|miscarriage|miscarried|abortion|pregnan(?:t|cy)|antidepressants?|suicid\w*|self-harm\w*"
    r"|rehab|alcoholi\w*|addict(?:ed|ion)|relapsed?|overdos\w*"
    r"|epilep\w*|diabet\w*|dementia|alzheimer\w*|psychiatr\w*|panic attacks?"
    r"|blood (?:tests?|sugar|pressure)|(?:my|his|her|blood|medical|lab|scan) test results"
    r"|(?:blood|lab|scan|biopsy) results|prescri(?:bed|ption)\w*|insulin"
    r"|therapist|hepatitis|parkinson\w*|leuka?emia|lymphoma|carcinoma|melanoma|metasta\w*"
    r"|heart attack|(?:a|the|second) stroke|nervous breakdown"
    r"|lump in (?:my|her|his) \w+|cut (?:my|her|him)self|multiple sclerosis|autis(?:m|tic)|adhd"
    r"|ptsd|ocd|eating disorder|infertil\w*|ivf|surgery"
    r"|lost (?:the|our|a|her|my) baby|(?:take|takes|taking|took|on) \d{1,4} ?mg"
    r"|sertraline|zoloft|prozac|fluoxetine|xanax|ritalin|methadone)\b"
    r"|診断(?!士|ソフト|プログラム|ツール)|癌|がんの|(?:乳|肺|胃|肝臓?|大腸|膵臓?|子宮)がん"
    r"|ガン(?:の|が|に)|検査[^\n。]{0,6}陽性|双極性|統合失調|手術を受|白血病|脳卒中|心筋梗塞"
    r"|発達障害|自閉症|不妊|腫瘍|うつ病|鬱|抗うつ|精神科|心療内科|流産|中絶|妊娠|持病|糖尿病"
    r"|認知症|自殺|依存症|投薬|処方|検査結果|余命"
    r"|诊断(?!软件|工具|程序|系统)|診斷(?!軟體|工具|程式)|癌症|(?:检[测查]|结果)[^\n。]{0,6}阳性"
    r"|呈阳性|痴呆|白血病|中风|心梗|自闭症|精神分裂|做手术|不孕|吸毒|酗酒|肿瘤|抑郁|憂鬱症|精神科"
    r"|流产|堕胎|怀孕|懷孕|糖尿病|艾滋|自杀|化疗|处方",
    re.IGNORECASE,
)
_OTHER_ILLS = re.compile(
    r"\b(?:(?:great|economic|tropical) depression|econom\w{1,4} (?:is|was) in (?:a )?depression"
    r"|(?:tropic|sign) of cancer|cancer is a sign|hearing aids)\b",
    re.IGNORECASE,
)
_CONFIDED = re.compile(
    r"\b(?:(?:don['’]?t|do not|never|not to|mustn['’]?t|must not|nobody (?:may|must|should)) "
    r"(?:ever )?(?:tell|mention (?:it|this)|breathe a word)"
    r"|(?:in|strictly) confiden(?:ce|tial(?:ly)?)|between (?:you and me|us|ourselves)"
    r"|keep (?:it|this|that)(?: a)? (?:secret|quiet|to yourself|private)"
    r"|(?:her|his|their|my|our|a|the) (?:big |dark |family )?secret (?:is|was|that|:)"
    r"|swore me to secrecy|off the record"
    r"|promised (?:not to (?:tell|say)|to keep)|nobody (?:else )?knows"
    r"(?! (?:who|what|why|how|when|where|whether|if)\b)|for your eyes only"
    r"|hasn['’]?t told any(?:one|body)|have(?:n['’]?t| not) told any(?:one|body)"
    r"|(?:has|had|have|having) an affair(?! to\b)|confided|only I know"
    r"|cheat(?:s|ed|ing) on (?:him|her|his|me))\b|\bsecrets?:"
    r"|不倫|浮気|外遇|出轨|出軌|打ち明け|内緒|ないしょ|秘密(?:に|だ|な|を|は)"
    r"|誰にも(?:言|話|しゃべ|教え)|ここだけの話|他言|口外|黙って(?:い|お)て"
    r"|别告诉|不要告诉|別告訴|不要告訴|别跟(?:别|任何)?人[说讲]|千万别[说讲]|只有我知道|保密"
    r"|秘密(?:是|，)|不能说出去|不要说出去",
    re.IGNORECASE,
)


MOST_KNOWN: Final = 500_000
"""Texts of which it is remembered what they look like: a grant is counted over the whole memory
each time that it is shown.
"""
_key: Final = secrets.token_bytes(16)
_known: Final[dict[bytes, Secret | None]] = {}
_IBAN_LENGTHS: Final = range(15, 35)
_CARD_LENGTHS: Final = range(13, 20)


def looks_secret(text: str) -> Secret | None:
    """Say what a text looks like that is better not shared unasked; ``None``: nothing of the kind.

    >>> looks_secret("The code of the safe is 4711."), looks_secret("We ate at eight.")
    (<Secret.CODE: 'code'>, None)
    """
    name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=_key).digest()
    with suppress(KeyError):
        return _known[name]
    found = _look(text)
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[name] = found
    return found


def _look(text: str) -> Secret | None:
    plain = unicodedata.normalize("NFKC", text)
    if _KEY.search(plain):
        return Secret.KEY
    if (
        _is_code(plain)
        or _OPENS.search(plain)
        or _KEY_LIES.search(plain)
        or _PASSWORD.search(plain)
    ):
        return Secret.CODE
    if _ACCOUNT.search(plain) or any(_is_iban(match[0]) for match in _IBAN.finditer(plain)):
        return Secret.ACCOUNT
    if any(_is_card(match[0]) for match in _CARD.finditer(plain)):
        return Secret.ACCOUNT
    if _CONFIDED.search(plain):
        return Secret.CONFIDED
    return Secret.HEALTH if _HEALTH.search(_OTHER_ILLS.sub(" ", plain)) else None


def _is_code(text: str) -> bool:
    plain = _OTHER_CODES.sub(" ", text)
    return bool(_names_a_value(plain) or _PLAIN_CODE.search(plain) or _ASIAN_CODE.search(plain))


def _names_a_value(text: str) -> bool:
    """Tell whether a word such as “PIN” and a number stand near each other on one line, in either
    order.
    """
    words = [found.span() for found in _NAMES_CODE.finditer(text)]
    values = [found.span() for found in _IS_VALUE.finditer(text)] if words else []
    starts, ends = [start for start, _ in values], [end for _, end in values]
    for begin, end in words:
        after = bisect_left(starts, end)
        if (
            after < len(values)
            and starts[after] - end <= _NEAR
            and "\n" not in text[end : starts[after]]
        ):
            return True
        before = bisect_right(ends, begin) - 1
        gap = text[ends[before] : begin] if before >= 0 else "\n"
        if len(gap) <= _NEAR and not {"\n", "."} & set(gap):
            return True
    return False


def _is_iban(text: str) -> bool:
    """Tell whether the check digits of an IBAN are right."""
    plain = text.replace(" ", "").upper()
    return (
        len(plain) in _IBAN_LENGTHS
        and int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1
    )


def _is_card(text: str) -> bool:
    """Tell whether these digits pass the Luhn check as those of a card do; an ISBN begins with
    978.
    """
    digits = [int(sign) for sign in text if sign.isdigit()]
    if len(digits) not in _CARD_LENGTHS or digits[:2] == [9, 7]:
        return False
    doubled = [sum(divmod(digit * 2, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
