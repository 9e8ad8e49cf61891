"""Names in Chinese texts, by their shape alone: a family name with a title (王老师), 小 or 老 or 阿
before one sign (小敏, 老陈), and what is said to be a name (叫林晓雯).

Shy: whole names without any of that are not found, for any three signs may be words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

OFTEN: Final = 2
"""How often somebody is called 小敏 from which it is a name."""

_FAMILY: Final = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹"
    "袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒"
    "熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文郁霍齐齊"
)
_TITLES: Final = (
    "老师|老師|医生|醫生|大夫|先生|女士|小姐|阿姨|叔叔|师傅|師傅|经理|經理|教授|主任|律师|律師"
    "|奶奶|爷爷|爺爺|大爷|大爺|大妈|大媽|大姐|大哥|姐|哥|叔|伯|婶|嬸"
)
_TITLED: Final = re.compile(rf"[{_FAMILY}](?:{_TITLES})(?![们們妹弟])")
_CALLED: Final = re.compile(rf"(?:老|小)[{_FAMILY}](?![\u4e00-\u9fff]?(?:时|時|学|學|师|師))")
_SMALL: Final = re.compile(r"[小阿](?P<sign>[\u4e00-\u9fff])")
_NO_NAME: Final = frozenset(
    "时時区區学學师師鼠钉声聲姐孩伙子心说說事组組费費吃狗猫貓雨雪路店米麦麥提貨货凳屋花车車袋虾蝦树樹白"
    "姨公婆爸妈媽嬤嬷爷爺奶弟妹哥叔伯姑舅便型小大的了是在有不也就那这這个個两兩三四五段步块塊条條包盒瓶"
    "杯碗张張本件只隻口号號票票腿腹肠腸偷河溪山岛島镇鎮村城巷院门門窗桌椅床刀鱼魚鸡雞鸭鴨鸟鳥草叶葉"
)
_NAMED: Final = re.compile(
    rf"(?:叫|叫做|名字是)(?P<name>[{_FAMILY}][\u4e00-\u9fff]{{1,2}}|[小阿][\u4e00-\u9fff])"
    r"(?=[，。！？；、\s]|$)"
)


def names(texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where names stand: which text, start and end.

    >>> texts = ["我妹妹小敏在上海。王老师来电话了。", "小敏昨天说，等了一小时。"]
    >>> [texts[number][start:end] for number, start, end in names(texts)]
    ['王老师', '小敏', '小敏']
    """
    called = Counter(
        match[0]
        for text in texts
        for match in _SMALL.finditer(text)
        if match["sign"] not in _NO_NAME
    )
    for number, text in enumerate(texts):
        for pattern in (_TITLED, _CALLED):
            for match in pattern.finditer(text):
                yield number, match.start(), match.end()
        for match in _SMALL.finditer(text):
            if called[match[0]] >= OFTEN and not _CALLED.match(text, match.start()):
                yield number, match.start(), match.end()
        for match in _NAMED.finditer(text):
            yield number, match.start("name"), match.end("name")
