"""What the form of a Japanese sentence says about whether it is worth keeping: its particles, its
endings, and whom it names.
"""

from __future__ import annotations

import re

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import traits
from lpm_kernel.L0.language.japanese import Word


def _class(words: str) -> frozenset[str]:
    return frozenset(words.split())


KIN = _class(
    "父 母 兄 弟 姉 妹 両親 祖父 祖母 妻 夫 主人 家内 息子 娘 子供 孫 叔父 叔母 伯父 伯母 従兄弟"
    " 従姉妹 甥 姪 家族 友人 友達 親友 同僚 上司 先輩 後輩 大家 隣人 彼氏 恋人 猫 犬 医者 医師 先生"
    " 担任 双子 御父さん 御母さん 祖父ちゃん 祖母ちゃん"
)
_I = _class("私 僕 俺 我々 私達 私たち 自分 我が家 内")
_THEY = _class("彼 彼女 其れ 此れ 彼れ 其処 此処 彼処 此奴 其奴 彼等 皆 誰 誰か 何 何れ")
_POINTS = _class("その この あの そんな こんな そう こう")
"""What points at something said elsewhere."""
_GENERAL = _class("人 人々 者 事 物 皆さん 会員 申請者 利用者 参加者 世の中 中 全て 以上 次回")
_GREETS = re.compile(
    r"お世話に|よろしく|宜しく|ありがと|有難|お疲れ|申し訳|すみません|ごめん|了解|承知|かしこまり"
    r"|お知らせ|ご確認|ご査収|敬具|拝啓|草々|おはよう|こんにちは|こんばんは|おやすみ"
    r"|久しぶり[!！。ですね]*$|存じます|いたします|お待ちして|楽しみにし|おめでと"
    r"|また(?:明日|今度|連絡|ね)|お元気|お大事に|失礼し"
)
_FILLS = re.compile(
    r"^\W*(?:えーと|えっと|うーん|うん|ううん|はい|いえ|いや|あの[ー、]|ああ|へえ|ほんと|なるほど"
    r"|まあ|そう|そっか|やっぱり?$|別に|特に|つまり|ただ|なんか|あれ|さて|じゃあ?|では|草|笑|w+$"
    r"|そして|そういう|おっしゃる)"
)
_BIDS = re.compile(
    r"(?:ください|下さい|なさい|ましょう|ほしい|欲しい|ちょうだい|頂戴"
    r"|お願い(?:します|いたします)?|ないで|ないこと|(?:する|[すくぐむぶつるうぬ])こと"
    r"|(?<!ま)(?<!とのこ)[てで](?:ね|よ)?)[。.!！]*$"
)
_ORDAINS = re.compile(
    r"(?:なければ|なきゃ|ないと|なくては|ねば)(?:なら|いけ|だめ)|ものとする|てはなら|てはいけ"
    r"|べき|禁止|禁じ|義務|必ず|お断り|原則"
)
_SUPPOSES = re.compile(
    r"もし|たら[、，]|れば[、，]|かもしれ|かも[。!！]*$|だろう|でしょう|のに[。!！]*$"
    r"|なあ[。!！]*$|たぶん|多分|おそらく|気がする|はず[だで]"
)
_HEARSAY = re.compile(r"(?:らしい|そうだ|そうです|みたいだ|ようだ|という|とのこと)[。!！]*$")
_WEATHER = re.compile(r"雨|天気|暑い|寒い|晴れ|曇|雪|台風|蒸し|涼し|暖か|風が強")
_HEADS = re.compile(
    r"^\W*(?:第[0-9一二三四五六七八九十]+[部章節回]|[0-9一二三四五六七八九十]+[、.．]|件名|議題"
    r"|次回|目次|付録|表\d|図\d)|ページ|(?:メモ|リスト|一覧|結果|議題|について|の件)$"
)
_LIKES = re.compile(
    r"好き|好む|好み|嫌い|嫌が|苦手|大好き|反対|賛成|一番|気に入|性に合|面白い|つまらない|疲れる"
    r"|がいい|ほうがよ|ほうが|失敗だ|と思う|と考え|愛し|憧れ|お気に入り"
)
_PLANS = re.compile(
    r"予定|つもり|ことに(?:し|な|決)|約束|計画|予約|申し込|期限|までに|決ま|決め|合意|なりたい"
    r"|したい|たいらしい|参加する|来[週月年春夏秋冬]|再来|担当"
)
_WEIGHS = re.compile(
    r"わから|分から|知ら(?:ない|ん)|信じられ|と思う|と思います|気がする|ということ|わけだ|独り言"
    r"|しょうがな|しようもな|仕方な|大丈夫|困る|[ねよ][。!！]*$"
)
"""Talk about the talk: it tells nothing of the person."""
_LIFE = _class(
    """
    住む 働く 勤める 勤務 生まれる 買う 売る 引っ越す 引っ越し 移る 移転 始める 始まる 辞める 止める
    退職 転職 就職 結婚 離婚 婚約 出産 妊娠 亡くなる 死ぬ 死去 入院 退院 手術 診断 骨折 折る 怪我
    病気 通う 習う 教える 学ぶ 勉強 卒業 入学 合格 進学 留学 出会う 会う 再会 訪れる 旅行 登る 走る
    泳ぐ 育つ 飼う 育てる 作る 建てる 借りる 貸す 返す 払う 契約 開く 営む 経営 話す 弾く 演奏 歌う
    描く 書く 読む 出品 出版 選ぶ 任命 異動 昇進 寄付 無くす 失う 送る 貰う 食べる 飲む 発つ 出発
    出る 担当 発注 中止 変わる 変える 呼ぶ 名前 家賃 電話 番号 誕生 歳 左利き 怒る 怖い 血圧 喘息
    車検 切れる 仲間 知り合う 一周 終える 参加 加わる 入る 免許 区画 付き合う 別れる 禁煙 植える
    直す 修理 取り替える 交換 掛かる 掛ける 焼く 撮る 定休 営業 井戸"""
)
_ENDS = frozenset({"動詞", "助動詞", "形容詞", "形状詞"})
_LABEL = re.compile(r"^\s*(?:[・●○■□*-]\s*)?(?:[^\s:：。、]{1,8}[:：]\s*)?")
SELF = 2
"""Words in which one names oneself; more name something of one's own."""
_SUBJECT = frozenset({"は", "が", "も"})


_FORMS = {
    "likes": _LIKES,
    "plans": _PLANS,
    "supposes": _SUPPOSES,
    "ordains": _ORDAINS,
    "greets": _GREETS,
    "fills": _FILLS,
    "weighs": _WEIGHS,
    "heads": _HEADS,
}
_ASKS = re.compile(r"[?？]|(?:っけ|か|かな|の|んだろう)。?$")
_TIME = re.compile(r"昔|若いころ|若い頃|のころ|のとき|の時|ようやく|以来|から(?:ずっと|の)")
_YOU = re.compile(r"あなた|君は|お前|ご家族|お客様")
_IMAGE = re.compile(r"みたいに|のように|かのよう")
"""It paints: what it says is not quite what is meant."""
LEAST_SAID = 3
"""Words with a meaning of their own: who, what, and one thing more."""


def signs(text: str) -> set[str]:
    """Say what speaks for a sentence and against it.

    >>> sorted(signs("拓海は松江に住んでいる。"))
    ['life', 'named', 'place', 'state']
    >>> sorted(signs("彼は笑った。"))
    ['past', 'pronoun', 'short', 'vague']
    """
    label = _LABEL.match(text)
    said = text[label.end() :] if label and len(text) > label.end() else text
    words = [
        word
        for word in japanese.grammar(said)
        if word.speech[0] not in {"空白", "補助記号", "記号"}
    ]
    subject = _subject(words)
    is_so = {
        subject: True,
        **_endings(words, said),
        **_by_subject(subject, words, said),
        **_by_words(words),
        **_by_writing(text),
    }
    return {name for name, so in is_so.items() if so} | {
        name for name, pattern in _FORMS.items() if pattern.search(said.strip())
    }


def _past(words: list[Word]) -> bool:
    return any(word.speech[0] == "助動詞" and word.normal == "た" for word in words[-3:])


def _endings(words: list[Word], said: str) -> dict[str, bool]:
    """Say how the sentence ends: with what happened, with what is so, with an order."""
    ending = [word for word in words[-4:] if word.speech[0] != "助詞"]
    past = _past(words)
    state = (
        not past
        and bool(ending)
        and (ending[-1].speech[0] in _ENDS or ending[-1].normal in {"予定", "積もり", "済み"})
    )
    return {
        "past": past,
        "state": state,
        "verbless": not (past or state),
        "bids": (
            any(word.form.startswith(("命令形", "意志推量形")) for word in words[-2:])
            or _BIDS.search(said.strip()) is not None
        ),
    }


def _by_subject(subject: str, words: list[Word], said: str) -> dict[str, bool]:
    """Say what counts for a sentence of such a subject only."""
    known = subject in {"named", "kin"}
    return {
        "elided": _past(words) and subject == "bare" and _acted(words),
        "object": (
            subject == "bare"
            and any(word.surface == "を" and word.speech[0] == "助詞" for word in words)
        ),
        "vague": (
            not known
            and any(
                (word.speech[0] == "代名詞" and word.normal in _THEY) or word.surface in _POINTS
                for word in words
            )
        ),
        "hearsay": subject in {"bare", "pronoun"} and _HEARSAY.search(said.strip()) is not None,
        "weather": not known and subject != "first" and _WEATHER.search(said) is not None,
    }


def _by_words(words: list[Word]) -> dict[str, bool]:
    meaning = [
        word
        for word in words
        if word.speech[0] in japanese.CONTENT and word.normal not in japanese.EMPTY
    ]
    return {
        "life": any(word.normal in _LIFE for word in words),
        "place": any(word.speech[1] == "固有名詞" for word in words),
        "number": any(word.speech[1] == "数詞" for word in words),
        "short": len(meaning) < LEAST_SAID,
        "fragment": bool(words) and words[0].speech[0] in {"助詞", "助動詞"},
    }


def _by_writing(text: str) -> dict[str, bool]:
    form = traits(text)
    return {
        "asks": bool(form & Trait.QUESTION) or _ASKS.search(text.strip()) is not None,
        "time": bool(form & Trait.TIME) or _TIME.search(text) is not None,
        "you": _YOU.search(text) is not None,
        "image": _IMAGE.search(text) is not None,
    }


def _acted(words: list[Word]) -> bool:
    """Say whether the sentence ends in a single act that is over: without a subject, that is the
    writer's. What was going on, or was so, is a scene.
    """
    verbs = [
        word
        for word in words[-5:]
        if word.speech[0] in {"動詞", "助動詞", "名詞", "形容詞"}
        and word.normal not in {"た", "ます"}
    ]
    return (
        bool(verbs) and verbs[-1].speech[0] == "動詞" and verbs[-1].normal not in {"居る", "有る"}
    )


def _subject(words: list[Word]) -> str:
    """Say who or what the sentence is about: what the first は or が marks, and what stands before
    its の.
    """
    marks = [
        i
        for i, word in enumerate(words)
        if word.speech[0] == "助詞"
        and word.surface in _SUBJECT
        and i
        and words[i - 1].speech[0] not in {"助詞", "動詞", "助動詞", "形容詞"}
    ]
    kinds = [_kind(words[_opens(words, i) : i]) for i in marks[:2]]
    if not kinds or kinds[0] in {"first", "named", "kin", "pronoun", "any"}:
        return kinds[0] if kinds else "bare"
    return next((kind for kind in kinds if kind in {"first", "named", "kin"}), kinds[0])


def _opens(words: list[Word], end: int) -> int:
    """Go back over the noun phrase that ends there: nouns, names, titles, and の between them."""
    i = end
    while i > 0:
        word = words[i - 1]
        if word.speech[0] in {"名詞", "接尾辞", "接頭辞", "代名詞", "連体詞", "形状詞"} or (
            word.surface in {"の", "と", "な"} and word.speech[0] in {"助詞", "助動詞"}
        ):
            i -= 1
        else:
            break
    return i


def _kind(phrase: list[Word]) -> str:
    """Say what a noun phrase stands for."""
    if not phrase:
        return "bare"
    normal, head = {word.normal for word in phrase}, phrase[-1]
    tests = (
        ("mine", len(phrase) > SELF and bool(normal & _I)),
        ("first", bool(normal & _I)),
        (
            "named",
            any(word.speech[1] == "固有名詞" or word.surface in japanese.TITLES for word in phrase),
        ),
        ("kin", bool(normal & KIN)),
        ("pronoun", head.speech[0] == "代名詞" or head.normal in _THEY),
        ("any", head.normal in _GENERAL),
        # today, two of them: it tells when, not who
        ("bare", "数詞" in head.speech or head.speech[2] in {"副詞可能", "助数詞可能"}),
    )
    return next((kind for kind, holds in tests if holds), "thing")


def named(text: str) -> list[str]:
    """Give the people that a sentence names.

    >>> named("弟の尚人は川村と会った。")
    ['尚人', '川村']
    """
    return list(
        dict.fromkeys(
            word.surface
            for word in japanese.grammar(text)
            if word.speech[1:3] == ("固有名詞", "人名")
        )
    )
