"""Tables, mail, web pages and chats: what becomes of each, and where its parts are said to
stand.
"""

from __future__ import annotations

import json
from datetime import date
from email.message import EmailMessage

import pytest

from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, DocumentKind, ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.masking import sanitise

READER = FileReader()


def read(name: str, data: bytes | str) -> ParsedText:
    data = data.encode() if isinstance(data, str) else data
    return sanitise(READER.read(name, READER.kind(name, data[:16_384]), data))


def passages(name: str, data: bytes | str) -> list[Chunk]:
    return chunks(DocumentId("d"), "text", read(name, data), None)


def places(name: str, data: bytes | str) -> list[tuple[str, str]]:
    return [(str(passage.anchor), passage.text) for passage in passages(name, data)]


class TestTables:
    def test_a_row_keeps_its_headings_and_is_counted_as_a_spreadsheet_does(self) -> None:
        assert places(
            "walks.csv", "date,km,with,note\n2023-05-21,9.8,Mai; Kuri,\n2023-07-30,8.0,Kuri,hot\n"
        ) == [
            ("row 2", "date: 2023-05-21; km: 9.8; with: Mai, Kuri"),
            ("row 3", "date: 2023-07-30; km: 8.0; with: Kuri; note: hot"),
        ]

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_any_usual_delimiter_will_do(self, delimiter: str) -> None:
        table = "\n".join(
            delimiter.join(row)
            for row in [
                ("日付", "金額", "品目"),
                ("2024年4月6日", "210000", "楽器"),
                ("2024年4月7日", "500", "膠"),
            ]
        )
        made = passages("家計.csv", table.encode("cp932"))
        assert [passage.text for passage in made] == [
            "日付: 2024年4月6日; 金額: 210000; 品目: 楽器",
            "日付: 2024年4月7日; 金額: 500; 品目: 膠",
        ]
        assert [passage.said_at.date() for passage in made if passage.said_at] == [
            date(2024, 4, 6),
            date(2024, 4, 7),
        ]

    @pytest.mark.parametrize("heading", ["Birthday", "date of birth", "DOB", "生年月日", "命日"])
    def test_a_birthday_dates_no_row(self, heading: str) -> None:
        table = f"name,{heading}\nMai,1943-05-02\nBram,1951-11-30\n"
        assert [passage.said_at for passage in passages("a.csv", table)] == [None, None]

    def test_a_number_above_twelve_says_which_is_the_day(self) -> None:
        american = passages("a.csv", "when,what\n04/06/2024,move\n04/13/2024,paint\n")
        assert [passage.said_at.date() for passage in american if passage.said_at] == [
            date(2024, 4, 6),
            date(2024, 4, 13),
        ]
        european = passages("a.csv", "when,what\n04/06/2024,move\n13/06/2024,paint\n")
        assert [passage.said_at.date() for passage in european if passage.said_at] == [
            date(2024, 6, 4),
            date(2024, 6, 13),
        ]

    def test_a_table_without_headings_names_its_columns_by_number(self) -> None:
        assert places("a.csv", "1,2\n3,4\n") == [
            ("row 1", "column 1: 1; column 2: 2"),
            ("row 2", "column 1: 3; column 2: 4"),
        ]

    def test_a_cell_of_several_lines_stays_in_its_row(self) -> None:
        assert places("a.csv", 'name,note\nMai,"one\ntwo"\nRen,three\n') == [
            ("row 2", "name: Mai; note: one two"),
            ("row 3", "name: Ren; note: three"),
        ]

    def test_a_list_of_objects_reads_like_a_table(self) -> None:
        data = json.dumps(
            [
                {"name": "Mai", "at": {"city": "Kanazawa", "since": 2009}, "tags": ["rain", "bus"]},
                {"name": "Ren", "old": True},
            ]
        )
        assert places("people.json", data) == [
            ("row 1", "name: Mai; at.city: Kanazawa; at.since: 2009; tags: rain, bus"),
            ("row 2", "name: Ren; old: yes"),
        ]

    def test_lines_that_are_no_turns_read_like_a_table_with_their_text_first(self) -> None:
        made = passages(
            "x.jsonl",
            '{"when": "2015-04-01", "text": "First morning in Higashiyama.", "kind": "place"}\nnot'
            " json\n",
        )
        assert [passage.text for passage in made] == [
            "First morning in Higashiyama. (when: 2015-04-01; kind: place)"
        ]
        assert made[0].said_at is not None
        assert made[0].said_at.date() == date(2015, 4, 1)
        assert read("x.jsonl", '{"a": 1}\nnot json\n').remarks == (
            "Left out 1 lines that are no JSON objects (line 2).",
        )

    def test_a_number_of_ten_thousand_digits_stays_as_it_is_written(self) -> None:
        assert (
            read("a.json", f'{{"n": {"9" * 10_000}, "b": "hello"}}').text.strip()
            == f"n: {'9' * 10_000}; b: hello"
        )

    def test_json_that_is_nested_too_deeply_says_so(self) -> None:
        with pytest.raises(UnreadableDocumentError, match="nested too deeply"):
            read("a.json", "[" * 100_000 + "]" * 100_000)

    @pytest.mark.parametrize("data", ["[", "{", '{"a":', "words"])
    def test_json_that_is_cut_short_says_so(self, data: str) -> None:
        with pytest.raises(UnreadableDocumentError, match="it is not whole JSON"):
            read("a.json", data)

    @pytest.mark.parametrize("data", ["[]", "{}", "null", "[[]]", '[{"a": null}]'])
    def test_json_without_words_says_so(self, data: str) -> None:
        with pytest.raises(EmptyDocumentError):
            read("a.json", data)


class TestMail:
    def test_a_message_says_who_when_and_what_and_names_what_is_attached(self) -> None:
        message = EmailMessage()
        message["From"] = "黒瀬 舞 <mai@example.org>"
        message["To"] = "Nagi <nagi@example.org>, ren@example.org"
        message["Date"] = "Tue, 18 Nov 2025 01:42:00 +0900"
        message["Subject"] = "雨 and rain"
        message.set_content("It closes at five.\n\n> Does it rain?\n> Tell me.\n\nMai\n")
        message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="sky.pdf")
        parsed = read("a.eml", message.as_bytes())
        made = chunks(DocumentId("d"), "text", parsed, None)
        assert [(passage.speaker, passage.text) for passage in made] == [
            (None, "From: 黒瀬 舞\nTo: Nagi, ren\nDate: 2025-11-18 01:42\nSubject: 雨 and rain"),
            ("黒瀬 舞", "It closes at five."),
            (None, "> Does it rain?\n> Tell me."),
            ("黒瀬 舞", "Mai"),
        ]
        assert (parsed.title, parsed.created_at and parsed.created_at.date()) == (
            "雨 and rain",
            date(2025, 11, 18),
        )
        assert parsed.remarks == (
            "Left out what is attached: sky.pdf. Add those files by themselves.",
        )

    def test_parts_beyond_what_is_read_are_counted(self) -> None:
        message = EmailMessage()
        message["From"] = "mai@example.org"
        message.set_content("It closes at five.")
        for number in range(520):
            message.add_attachment(b"x", maintype="image", subtype="png", filename=f"{number}.png")
        assert (
            read("a.eml", message.as_bytes())
            .remarks[0]
            .endswith("19.png, 500 more parts. Add those files by themselves.")
        )

    def test_the_page_is_read_where_there_is_no_plain_part(self) -> None:
        message = EmailMessage()
        message["From"] = "a@example.org"
        message.set_content("<p>Second&nbsp;coat.</p><script>track()</script>", subtype="html")
        assert passages("a.eml", message.as_bytes())[-1].text == "Second coat."

    def test_each_message_of_a_box_is_a_session_and_a_place(self) -> None:
        box = b"".join(
            b"From x@y Thu Jan  1 00:00:00 2024\nFrom: M%d <m@y.org>\nSubject: s\n\nWords"
            b" %d.\n>From the north.\n\n" % (n, n)
            for n in (1, 2)
        )
        made = [passage for passage in passages("a.mbox", box) if passage.speaker]
        assert [
            (str(passage.anchor), passage.session, passage.speaker, passage.text)
            for passage in made
        ] == [
            ("message 1", "message 1", "M1", "Words 1.\nFrom the north."),
            ("message 2", "message 2", "M2", "Words 2.\nFrom the north."),
        ]

    @pytest.mark.parametrize(
        "header",
        [
            b"Date: soon",
            b"From: =?utf-9?q?x?= <",
            b"Subject: =?utf-8?b?!!!?=",
            b"Content-Type: text/plain; charset=none",
            b"To: \xff\xfe<",
        ],
    )
    def test_a_broken_header_does_not_lose_the_mail(self, header: bytes) -> None:
        assert passages("a.eml", header + b"\nX-Y: z\n\nThe words.\n")[-1].text == "The words."

    def test_an_address_in_a_subject_or_a_name_is_masked(self) -> None:
        parsed = read(
            "a.eml",
            b'From: "mai@example.org" <x@example.org>\nSubject: ask ren@example.org\n\nWords\n',
        )
        assert parsed.title == "ask [e-mail]"
        assert {segment.speaker for segment in parsed.segments} == {None, "mai"}


class TestPages:
    def test_what_a_reader_sees_is_read(self) -> None:
        page = """<!doctype html><html><head><title>The long room</title><meta property="article:published_time" content="2025-06-15T09:00:00+09:00">
        <style>p{}</style></head><body><nav>Menu</nav><h1>Course</h1><p>Six <b>days</b><br>in July.</p><p hidden>No.</p><ul><li>Apron<li>Glue</ul>
        <script>alert(1)</script><footer>Imprint</footer></body></html>"""  # noqa: E501  a text as it stands
        parsed = read("a.html", page)
        assert parsed.text == "# Course\n\nSix days\nin July.\n\n- Apron\n\n- Glue\n\n"
        assert (parsed.title, parsed.created_at and parsed.created_at.date()) == (
            "The long room",
            date(2025, 6, 15),
        )

    def test_rows_of_a_table_keep_their_headings(self) -> None:
        page = (
            "<p>Before.</p><table><tr><th>Day</th><th>Who</th></tr>"
            "<tr><td>Monday</td><td>Mai</td></tr></table><p>After.</p>"
        )
        assert places("a.html", page) == [
            ("paragraph 1", "Before."),
            ("row 2", "Day: Monday; Who: Mai"),
            ("paragraph 2", "After."),
        ]

    def test_paragraphs_are_counted(self) -> None:
        long = "Varnish dries slowly in the rain. " * 12
        assert [
            where for where, _ in places("a.html", f"<p>{long}</p><div>{long}</div><p>{long}</p>")
        ] == ["paragraph 1", "paragraph 2", "paragraph 3"]

    def test_a_page_says_its_encoding(self) -> None:
        page = '<html><head><meta charset="Shift_JIS"></head><body><p>寺町の工房</p></body></html>'
        assert passages("a.html", page.encode("cp932"))[0].text == "寺町の工房"

    def test_a_page_that_is_nested_deeply_is_read_and_too_deeply_says_so(self) -> None:
        assert (
            "<div>" not in read("a.html", f"{'<div>' * 1_500}<p>Rain.</p>{'</div>' * 1_500}").text
        )
        assert "Rain." in read("a.html", f"{'<div>' * 1_500}<p>Rain.</p>{'</div>' * 1_500}").text
        assert read("a.html", f"<p>Rain.</p>{'<div>' * 50_000}<p>Snow.</p>").remarks == (
            "Left out what is nested too deeply.",
        )
        with pytest.raises(UnreadableDocumentError, match="nested too deeply"):
            read("a.html", f"{'<div>' * 50_000}<p>Rain.</p>")

    @pytest.mark.parametrize("page", ["<html></html>", "<!-- x -->", "<script>a</script>"])
    def test_a_page_without_words_says_so(self, page: str) -> None:
        with pytest.raises(EmptyDocumentError):
            read("a.html", page)


LINE_JA = """[LINE] 黒瀬 舞とのトーク履歴
保存日時：2025/11/19 07:55

2024/04/07(日)
08:12	凪	きのうはありがとう
08:13	マイマイ	"五時まで
止めといたよ"
午後8:15	凪	お代は
"""
LINE_EN = """[LINE] Chat history with Mai
Saved on: 11/19/2025, 07:55

Sun, 04/07/2024
08:12 AM	Nagi	thank you
08:13 PM	Mai	any time
"""
ANDROID = """14/07/2025, 07:50 - Messages and calls are end-to-end encrypted.
14/07/2025, 07:50 - Nagi: Kettle is on.
Aprons on the left.
14/07/2025, 19:20 - Ren T.: wrong glue
15/07/2025, 09:00 - Nagi: Sweep.
"""
IPHONE = """\u200e[7/14/25, 7:50:12\u202fAM] Nagi: Kettle is on.
[7/14/25, 7:20:00\u202fPM] Ren T.: wrong glue
[7/15/25, 9:00:00\u202fAM] Nagi: Sweep.
"""


class TestChats:
    @pytest.mark.parametrize(
        ("log", "said"),
        [
            (
                LINE_JA,
                [
                    ("凪", "2024-04-07 08:12", "きのうはありがとう"),
                    ("マイマイ", "2024-04-07 08:13", "五時まで\n止めといたよ"),
                    ("凪", "2024-04-07 20:15", "お代は"),
                ],
            ),
            (
                LINE_EN,
                [
                    ("Nagi", "2024-04-07 08:12", "thank you"),
                    ("Mai", "2024-04-07 20:13", "any time"),
                ],
            ),
            (
                ANDROID,
                [
                    (None, "2025-07-14 07:50", "Messages and calls are end-to-end encrypted."),
                    ("Nagi", "2025-07-14 07:50", "Kettle is on.\nAprons on the left."),
                    ("Ren T.", "2025-07-14 19:20", "wrong glue"),
                    ("Nagi", "2025-07-15 09:00", "Sweep."),
                ],
            ),
            (
                IPHONE,
                [
                    ("Nagi", "2025-07-14 07:50", "Kettle is on."),
                    ("Ren T.", "2025-07-14 19:20", "wrong glue"),
                    ("Nagi", "2025-07-15 09:00", "Sweep."),
                ],
            ),
        ],
    )
    def test_a_log_is_read_turn_by_turn(
        self, log: str, said: list[tuple[str | None, str, str]]
    ) -> None:
        assert READER.kind("talk.txt", log.encode()) is DocumentKind.TRANSCRIPT
        made = passages("talk.txt", log)
        assert [
            (
                passage.speaker,
                f"{passage.said_at:%Y-%m-%d %H:%M}" if passage.said_at else "",
                passage.text,
            )
            for passage in made
        ] == said
        assert [str(passage.anchor) for passage in made] == [
            f"turn {number}" for number in range(1, len(said) + 1)
        ]

    def test_what_was_said_on_a_day_that_does_not_exist_is_kept_without_a_date(self) -> None:
        log = (
            "[LINE] Chat history with Mai\n\n2024/02/30(Fri)\n10:00\tMai\tThe first"
            " words\n2024/04/07(Sun)\n09:00\tNagi\tthank you\n2024/13/45(Sun)\n09:30\tMai\tany"
            " time\n"
        )
        made = passages("talk.txt", log)
        assert [
            (passage.speaker, passage.said_at and passage.said_at.date(), passage.text)
            for passage in made
        ] == [
            ("Mai", None, "The first words"),
            ("Nagi", date(2024, 4, 7), "thank you"),
            ("Mai", None, "any time"),
        ]

    @pytest.mark.parametrize(
        "diary",
        [
            "2024/04/06\n\nMoved the bench. 08:12 the van came.\n\n2024/04/07\n\nSlept.\n",
            "07:50 got up\n08:10 tea\n09:00 glue\n",
            (
                "2024-04-06 - Monday: moved\n2024-04-07 - Tuesday: slept\n2024-04-08 - Wednesday:"
                " glue\n"
            ),
            "[1] Ide: On glue.\n[2] Hase: On wood.\n",
            (
                "14/07/2025, 07:50 - Kettle: on\n15/07/2025, 07:50 - Bread: bought\n16/07/2025,"
                " 07:50 - Rain: all day\n"
            ),
        ],
    )
    def test_a_diary_is_not_taken_for_a_chat(self, diary: str) -> None:
        assert READER.kind("diary.txt", diary.encode()) is DocumentKind.TEXT
        assert all(passage.speaker is None for passage in passages("diary.txt", diary))

    def test_a_chatgpt_export_follows_the_branch_that_is_shown(self) -> None:
        def node(
            parent: str | None, role: str, text: str, children: list[str]
        ) -> dict[str, object]:
            content = {"content_type": "text", "parts": [text]}
            return {
                "parent": parent,
                "children": children,
                "message": {
                    "id": text,
                    "author": {"role": role},
                    "create_time": 1730026800,
                    "content": content,
                },
            }

        mapping = {
            "root": {"parent": None, "children": ["s"], "message": None},
            "s": node("root", "system", "Be brief.", ["q1", "q2"]),
            "q1": node("s", "user", "Old question", ["a1"]),
            "a1": node("q1", "assistant", "Old answer", []),
            "q2": node("s", "user", "New question", ["a2"]),
            "a2": node("q2", "assistant", "New answer", []),
        }
        export = [
            {"title": "Piano", "create_time": 1730026800, "current_node": "a2", "mapping": mapping},
            {"title": "Piano", "mapping": mapping},
        ]
        made = passages("conversations.json", json.dumps(export))
        assert [(passage.session, passage.speaker, passage.text) for passage in made] == [
            ("Piano", "user", "New question"),
            ("Piano", "assistant", "New answer"),
            ("Piano (2)", "user", "New question"),
            ("Piano (2)", "assistant", "New answer"),
        ]
        assert made[0].said_at is not None
        assert made[0].said_at.year == 2024


class TestEncodings:
    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "cp932", "euc-jp", "utf-16", "utf-16-le", "utf-16-be"]
    )
    def test_a_japanese_page_reads_alike_in_every_encoding(self, encoding: str) -> None:
        text = "凪は金沢でヴァイオリンを直している。\n雨の日は膠を煮ない。\n" * 8
        assert read("note.txt", text.encode(encoding)).text == text

    def test_a_table_in_utf16_without_its_mark(self) -> None:
        assert places("a.csv", "名,歳\n凪,41\n".encode("utf-16-le")) == [
            ("row 2", "名: 凪; 歳: 41")
        ]


def test_a_file_under_a_false_name_is_read_for_what_it_is_and_says_so() -> None:
    parsed = read("report.pdf", "<!doctype html><html><body><p>Not a PDF.</p></body></html>")
    assert parsed.text == "Not a PDF.\n\n"
    assert parsed.remarks == (
        "Its name ends in “.pdf”, but it is a web page, and was read as that.",
    )
    assert read("scan.pdf", "just words\n").remarks == (
        "Its name ends in “.pdf”, but it is plain text, and was read as that.",
    )
