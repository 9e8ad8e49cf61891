/**
 * The sentences of grants. Part of `en-people.ts`. In a sentence of a grant, what stands in braces
 * is a choice.
 */
const many = (n: number, one: string, several: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : several}`;

export const grantingEn = {
  give: {
    title: (name: string) => `A grant for ${name}`,
    to: "For whom",
    template: "Begin with",
    templates: { answers: "Answers", topic: "A topic", documents: "Documents" },
    templateMeans: {
      answers: "Your second self answers from statements, and asks you first each time.",
      topic: "Answers and passages about what carries some tags.",
      documents: "Whole texts of what carries some tags.",
    },
    sentence:
      "{who} may {verbs} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}. {consent}.",
    choose: (what: string) => `${what}: change`,
    parts: {
      verbs: "What they may do",
      tags: "About what",
      kinds: "From what",
      time: "From which time",
      form: "How literally",
      daily: "How much in a day",
      end: "Until when",
      consent: "Whether you are asked",
    },
    verbs: { ask: "ask questions", recall: "look up passages", fetch: "fetch texts" },
    and: "and",
    everything: "everything that is not private",
    noTags: "…",
    needs: {
      tags: "Choose at least one tag: this grant is about something.",
      verbs: "Choose at least one thing that they may do.",
      kinds: "Choose at least one kind.",
      time: "The time ends before it begins, or lies before 1970. Change one of the two days.",
      end: "Choose a last day that is still to come.",
    },
    noTagsThere: "Nothing carries a tag yet. Tags are given in the library.",
    kinds: {
      passage: "passages of documents",
      world: "statements of fact",
      experience: "experiences",
      opinion: "opinions",
      observation: "observations",
    },
    allStatements: "from all statements",
    allPassages: "from passages of documents",
    all: "from statements and passages",
    from: (kinds: string) => `from ${kinds}`,
    anyTime: "of any time",
    since: (day: string) => `from ${day} on`,
    before: (day: string) => `before ${day}`,
    between: (since: string, until: string) => `from ${since} until before ${until}`,
    sinceLabel: "From this day on",
    untilLabel: "Before this day",
    form: {
      answer: "an answer",
      summary: "a summary",
      excerpt: "an excerpt",
      verbatim: "your words",
    },
    formMeans: {
      answer: "in the second self’s own words",
      summary: "in new words, without quotation",
      excerpt: "short quotations of your sentences",
      verbatim: "word for word, with the date",
    },
    daily: (calls: number) =>
      calls === 1 ? "once a day" : `${calls.toLocaleString("en")} times a day`,
    calls: "Times a day",
    tokens: "Tokens that the model writes for them in a day",
    kilobytes: "Kilobytes of answers in a day",
    ends: { week: "a week", month: "a month", quarter: "three months" },
    endLabel: "Until the end of this day",
    consent: { ask: "I am asked first", auto: "I am not asked" },
    consentMeans: {
      ask: "nothing leaves before you say yes",
      auto: "what fits the grant is answered at once",
    },
    purpose: "What it is for",
    purposeHint: "They see it, and have to say the same words with every request.",
    words: "For yourself",
    wordsHint: "Why you gave it. It stays here.",
    do: (name: string) => `Give this to ${name}`,
    not: "Not now",
    always: "Revoke at any time. It holds from that moment.",
    nobody: "There is nobody to give a grant to.",
  },
  cover: {
    label: "What this covers",
    of: (documents: number) =>
      `rows of ${many(documents, "document", "documents")}. That is what they can be answered from, and nothing else.`,
    nothing: "Nothing is covered. They would get no answer to anything.",
    counting: "Counting what it covers",
    kinds: "By kind",
    documents: "By document",
    more: (n: number) => `and ${n.toLocaleString("en")} more`,
    first: "The newest of it, word for word",
    out: "What stays out",
    outNothing: "Nothing: all that you added is covered.",
    reasons: {
      private: "in private documents, which no grant reaches",
      layer: "of the other sort: passages, or statements",
      tag: "without one of these tags",
      kind: "of another kind",
      undated: "without a date, and the grant names a time",
      time: "from another time",
      forgotten: "that you want forgotten or have put right",
      written: "on pages that the node wrote",
      secret: "that look like a secret and are not ticked",
    },
    later: "What you add later and fits is covered, too.",
  },
  secrets: {
    label: "Looks like a secret",
    lead: "This fits the grant and looks like a secret. It stays out unless you tick it; they cannot tell that it is there.",
    tick: (title: string) => `Include this from “${title}”`,
    looks: {
      code: "a code or password",
      key: "a key of a program",
      account: "a number of an account, card or passport",
      health: "about somebody’s health",
      confided: "told in confidence",
    },
    waiting: (n: number) =>
      n === 1
        ? "One thing looks like a secret and waits."
        : `${n.toLocaleString("en")} things look like secrets and wait.`,
    waitingHint:
      "They came after you gave a grant that they fit. They stay out until you allow them.",
    under: (name: string) => `under the grant for ${name}`,
    allow: "Allow",
    leaveOut: "Leave out",
  },
  grant: {
    none: "Nobody may ask anything.",
    noneHint:
      "A grant says in one sentence who may ask about what, how literally, how often and until when. You see what it covers before you give it.",
    make: "Write a grant",
    given: "Given by you",
    had: "Given to you",
    states: { holds: "holds", revoked: "revoked", expired: "over", resting: "rests: blocked" },
    sentence:
      "{who} may {verbs} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}.",
    sentenceHad:
      "You may {verbs} {who} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}.",
    purpose: (words: string) => `for “${words}”`,
    consentAsk: "you are asked first",
    consentAuto: "you are not asked",
    used: (spent: number, of: number) =>
      `used ${spent.toLocaleString("en")} of ${of.toLocaleString("en")} today`,
    covers: (n: number) => `covers ${many(n, "row", "rows")} now`,
    revoke: "Revoke",
    revokeOf: (name: string) => `Revoke the grant for ${name}`,
    revoked: "It holds from this moment. What was already told stays told.",
    passedOn: "passed on from another grant",
    over: "Those that are over",
  },
};
