"""Words that say nothing about what a text is about, and words of many forms that no stemmer brings
together.
"""

ENGLISH = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each
    few for from further had has have having he her here hers him himself his how i if in into is it
    its itself just me more most my myself no nor not now of off on
    once only or other our ours out over own same she should so some such than that the their theirs
    them then there these they this those through to too under until
    up very was we were what when where which while who whom whose why will with would you your
    yours yourself ll ve re d m s t many much kind type likely might may
    don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn ain let oh ok okay
    yeah yes
    """.split()  # noqa: SIM905  a list this long reads better as prose
)

OTHERS = frozenset(
    """
    der das den dem des ein eine einen einem einer eines und oder aber nicht ist sind sein ihr ihre
    ihren ihm ich du er sie es wir mich mir dich dir uns euch wie wo wann
    wer wem wen welche welcher welches welchen warum wurde wurden wird werden haben habe hatte zu
    zum zur von vom mit auf aus bei nach fur uber auch noch schon nur im am um dass
    el la los las un una unos unas y o pero de del al en con por para que como cuando donde quien
    cual cuales porque se su sus lo le les es son era fue ha han hay mi tu muy mas ya yo
    le les une et ou mais du au aux avec pour par est sont etait dans qui quoi quand ou comment
    pourquoi quel quelle quels quelles je tu il elle nous vous ils elles ce cet cette ces ne pas sur
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""German, Spanish and French, without those that mean something in English (die, war, man, son,
hat).
"""

CHINESE = frozenset(
    """
    什么 怎么 怎样 为什 么时 时候 哪里 哪个 哪儿 哪些 多少 几个 我们 你们 他们 她们 它们 这个 那个
    这些 那些 是不 不是 有没 没有 可以 因为 所以 但是 如果 还是 已经 就是 一个 一下 自己 知道 请问
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Two-character words that a question drops unless it has no others."""

CHINESE_SIGNS = frozenset(
    "的了吗呢吧啊呀嘛是在我你他她它们这那和与或也都就还又很不没有把被给从到对向于之其此个什么谁哪怎几"
)
"""A pair that holds one of these crosses the border of two words more often than not."""

PRONOUNS = frozenset(["彼女", "自分", "我々", "皆様", "私達", "彼等"])
"""Two Japanese signs that the tokenizer would leave out as a pronoun."""

ASKING_SIGNS = frozenset("何誰")
"""A Japanese pair with one of these asks: 何年, 何人, 誰々."""

_FORMS = """
be: | become: became | begin: began begun | bite: bit bitten | blow: blew blown
break: broke broken | bring: brought | build: built | burn: burnt | buy: bought | catch: caught
choose: chose chosen | come: came | cost: costs | cut: cutting | deal: dealt | dig: dug
draw: drew drawn | dream: dreamt | drink: drank drunk | drive: drove driven | eat: ate eaten
fall: fell fallen | feed: fed | feel: felt | fight: fought | find: found | fly: flew flown
forget: forgot forgotten | forgive: forgave forgiven | freeze: froze frozen | get: got gotten
give: gave given | go: went gone goes | grow: grew grown | hang: hung | hear: heard
hide: hid hidden | hold: held | keep: kept | know: knew known | lay: laid | lead: led
learn: learnt | leave: left leaving | lend: lent | lose: lost losing | make: made making
mean: meant | meet: met | pay: paid | read: reads | ride: rode ridden | ring: rang rung
rise: rose risen | run: ran | say: said says | see: saw seen | seek: sought | sell: sold
send: sent | shake: shook shaken | shoot: shot | show: shown | shrink: shrank shrunk
sing: sang sung | sink: sank sunk | sit: sat | sleep: slept | speak: spoke spoken | spend: spent
spin: spun | stand: stood | steal: stole stolen | stick: stuck | sting: stung | strike: struck
sweep: swept | swim: swam swum | take: took taken taking | teach: taught | tear: tore torn
tell: told | think: thought | throw: threw thrown | understand: understood | wake: woke woken
wear: wore worn | weave: wove woven | win: won | write: wrote written | child: children kid kids
mother: mum mom mums moms mommy mummy mama | father: dad dads daddy papa
grandmother: grandma nan granny gran | grandfather: grandpa grandad granddad | person: people
man: men | woman: women | foot: feet | tooth: teeth | mouse: mice | wife: wives | life: lives
photo: photos photograph photographs picture pictures | television: tv | telephone: phone phones
bicycle: bike bikes | holiday: holidays vacation vacations | film: films movie movies
mathematics: maths math | favourite: favorite favorites favourites | colour: color colors colours
""".replace("\n", " | ")

IRREGULAR = {
    form: word
    for word, _, forms in (entry.partition(":") for entry in _FORMS.split("|"))
    for word in (word.strip(),)
    for form in forms.split()
}
"""English forms that stemming leaves apart, and the words of a home that have a short and a long
name.
"""
LANGUAGES = frozenset(
    """
    english french german spanish italian portuguese dutch danish norwegian swedish finnish
    icelandic polish czech russian ukrainian hungarian romanian greek turkish arabic hebrew persian
    latin irish welsh scots gaelic japanese chinese mandarin cantonese korean vietnamese thai malay
    tagalog hindi urdu bengali tamil swahili xhosa zulu afrikaans
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Languages in English: with a capital, and nobody's name."""

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
"""In English, as a pattern has them."""
DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
