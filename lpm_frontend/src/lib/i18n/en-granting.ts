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
    template: "Start from",
    templates: { answers: "Answers", topic: "A topic", documents: "Documents" },
    templateMeans: {
      answers: "Your second self answers from memories, and asks you first each time.",
      topic: "Answers and passages from what has the tags you choose.",
      documents: "Whole texts of what has the tags you choose.",
    },
    sentence:
      "{who} may {verbs} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}. {consent}.",
    choose: (what: string) => `${what}: change`,
    parts: {
      verbs: "What they may do",
      tags: "About what",
      kinds: "From what",
      time: "From when",
      form: "How literally",
      daily: "How much a day",
      end: "Until when",
      consent: "Whether you are asked first",
    },
    verbs: { ask: "ask questions", recall: "look up passages", fetch: "fetch texts" },
    and: "and",
    everything: "everything that is not private",
    noTags: "…",
    needs: {
      tags: "Choose at least one tag.",
      verbs: "Choose at least one thing they may do.",
      kinds: "Choose at least one kind.",
      time: "The period ends before it begins, or is before 1970. Change one of the dates.",
      end: "Choose an end date in the future.",
    },
    noTagsThere: "There are no tags yet. Add them in the library.",
    kinds: {
      passage: "passages of documents",
      world: "facts",
      experience: "experiences",
      opinion: "opinions",
      observation: "summaries",
    },
    allStatements: "from all memories",
    allPassages: "from passages of documents",
    all: "from memories and passages",
    from: (kinds: string) => `from ${kinds}`,
    anyTime: "from any time",
    since: (day: string) => `from ${day} on`,
    before: (day: string) => `before ${day}`,
    between: (since: string, until: string) => `from ${since} on and before ${until}`,
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
    tokens: "Tokens the model may write for them a day",
    kilobytes: "Kilobytes of answers a day",
    ends: { week: "a week", month: "a month", quarter: "three months" },
    endLabel: "Until the end of this day",
    consent: { ask: "I am asked first", auto: "I am not asked" },
    consentMeans: {
      ask: "nothing leaves before you say yes",
      auto: "what fits the grant is answered at once",
    },
    purpose: "What it is for",
    purposeHint: "They see it, and must give the same words with every request.",
    words: "Note to yourself",
    wordsHint: "Why you gave it. It stays here.",
    do: (name: string) => `Give this grant to ${name}`,
    not: "Not now",
    always: "You can revoke it at any time, with immediate effect.",
    nobody: "You have no contact to give a grant to.",
  },
  cover: {
    label: "What this covers",
    of: (rows: number, documents: number) =>
      `${rows === 1 ? "item" : "items"} from ${many(documents, "document", "documents")}. Answers can draw on this and nothing else.`,
    nothing: "Nothing is covered. They would get no answer to anything.",
    counting: "Counting what it covers",
    kinds: "By kind",
    documents: "By document",
    more: (n: number) => `and ${n.toLocaleString("en")} more`,
    first: "Newest first, word for word",
    out: "Not covered",
    outNothing: "Nothing: everything you added is covered.",
    reasons: {
      private: "in private documents, which no grant reaches",
      layer: "passages or memories, where the grant covers only the other",
      tag: "without one of these tags",
      kind: "of another kind",
      undated: "without a date, and the grant names a period",
      time: "from outside the period",
      forgotten: "that you have forgotten or corrected",
      written: "on pages the node wrote",
      secret: "that look like a secret and are not ticked",
    },
    later: "Anything you add later that fits is covered too.",
  },
  secrets: {
    label: "Looks like a secret",
    lead: "This fits the grant and looks like a secret. It stays out unless you tick it; they cannot tell that it is there.",
    tick: (title: string) => `Include this from “${title}”`,
    looks: {
      code: "a code or password",
      key: "a program’s key",
      account: "an account, card or passport number",
      health: "about somebody’s health",
      confided: "told in confidence",
    },
    waiting: (n: number) =>
      n === 1
        ? "One item looks like a secret and is waiting for you."
        : `${n.toLocaleString("en")} items look like secrets and are waiting for you.`,
    waitingHint: "They fit a grant but came after you gave it. They stay out until you allow them.",
    under: (name: string) => `under the grant for ${name}`,
    allow: "Allow",
    leaveOut: "Leave out",
  },
  grant: {
    none: "Nobody may ask anything.",
    noneHint:
      "A grant says in one sentence who may ask about what, how literally, how often and until when. You see what it covers before you give it.",
    make: "Create a grant",
    given: "Given by you",
    had: "Given to you",
    states: {
      holds: "active",
      revoked: "revoked",
      expired: "expired",
      resting: "paused: contact blocked",
    },
    sentence:
      "{who} may {verbs} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}.",
    sentenceHad:
      "You may {verbs} {who} about {tags}, {kinds}, {time}, and get {form}, at most {daily}, until {end}.",
    purpose: (words: string) => `for “${words}”`,
    consentAsk: "you are asked first",
    consentAuto: "you are not asked",
    used: (spent: number, of: number) =>
      `${spent.toLocaleString("en")} of ${of.toLocaleString("en")} used today`,
    covers: (n: number) => `covers ${many(n, "item", "items")} now`,
    revoke: "Revoke",
    revokeOf: (name: string) => `Revoke the grant for ${name}`,
    revoked: "Revoked, in effect now. What was already told cannot be taken back.",
    passedOn: "passed on from another grant",
    over: "Ended grants",
  },
};
