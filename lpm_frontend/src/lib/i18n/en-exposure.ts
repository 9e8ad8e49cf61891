/** The sentences of the page that says who can reach what. */

const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const exposureEn = {
  exposure: {
    lead: "Every way into this node, who can use it and since when; where your texts go; and what has been sent so far.",
    loading: "Checking every way in",
    only: "Only you, from this machine.",
    onlyAnywhere: "Only you, from other machines too.",
    /** Programs, other people, and models elsewhere, each left out where there is none. */
    some: (programs: number, people: number, elsewhere: number) =>
      [
        programs > 0 ? `${many(programs, "program has", "programs have")} a key` : "",
        people > 0 ? `${many(people, "contact", "contacts")} may ask` : "",
        elsewhere > 0 ? `texts go to ${many(elsewhere, "model", "models")} elsewhere` : "",
      ]
        .filter((part) => part !== "")
        .join("; ")
        .replace(/^./u, (first) => first.toUpperCase()) + ".",
    left: (size: string, answers: number) =>
      answers > 0
        ? `${size} sent out, including ${many(answers, "answer", "answers")} to contacts.`
        : `${size} sent out.`,
    nothingLeft: "Nothing sent out.",
    again: "Check again",
    lookedAt: (time: string) => `As of ${time}.`,
    since: (moment: string) => `since ${moment}`,
    used: (moment: string) => `last used ${moment}`,
    unused: "not used yet",
    usedUnknown: "last use not known",
    asked: (moment: string) => `last asked ${moment}`,
    unasked: "has not asked yet",
    until: (day: string) => `until ${day}`,
    gone: (name: string) => `${name}: in effect now.`,

    listens: "Open ports",
    listensLead: "Every port that this node holds open, as the operating system sees it.",
    parts: {
      screens: "Screens and API",
      contacts: "For contacts",
      model: "The model, for the node’s own parts",
      other: "Another part of the node",
    },
    alone: "from this machine only",
    everywhere: "from other machines too",
    everyInterface: (port: number) => `every interface, port ${port}`,
    needsKey: "needs a key or a signed-in browser",
    needsGrant: "contacts only, and a grant says what they may ask",
    needsOwn: "opens with a key that only this home has",
    noContacts: "Nothing listens for contacts.",
    noContactsHint: "Nobody on another machine can reach this node.",
    open: "Let contacts reach it",
    addresses: "Addresses",
    fingerprint: "Fingerprint of its certificate (SHA-256)",
    fingerprintHint:
      "A browser on another machine warns at first, since nobody else signed this certificate. Compare what it shows with this, then let it in.",
    stopListening: "Stop listening",
    stopped: "Contacts cannot reach this node any more",
    stopNode: "Stop it with",
    none: "The system does not show its open ports.",

    here: "On this machine",
    hereLead:
      "Who may use the node from here. Among programs, only one whose key may change everything sees what is private.",
    command: "The lpm command and the node’s own parts",
    commandWith:
      "with the secret in the home, which only your user account can read; it may do everything",
    mayDo: (scopes: string) => `may ${scopes}`,
    programs: "Programs with a key",
    noPrograms: "No program has a key.",
    makeKey: "Create a key",
    browsers: "Browsers that are signed in",
    noBrowsers: "No browser is signed in.",
    browser: "A browser",
    thisOne: "this one",
    browserMay: "may do everything",
    revoke: "Revoke",
    revokeOf: (name: string) => `Revoke the key of ${name}`,
    signOut: "Sign out",
    signOutOthers: "Sign out all others",
    signOutOf: (name: string) => `Sign out: ${name}`,

    people: "Other people",
    peopleLead: "Contacts reach your second self through their own node, and only under a grant.",
    noPeople: "You have no contacts.",
    invite: "Invite somebody",
    nothingGranted: "No grant: every question is refused.",
    may: (verbs: string, tags: string) => `may ${verbs} about ${tags}`,
    covers: (rows: number) => `covers ${many(rows, "item", "items")} now`,
    purpose: (words: string) => `for “${words}”`,
    revokeGrant: (name: string, purpose: string) => `Revoke the grant for ${name}: ${purpose}`,
    openInvite: (label: string) => (label === "" ? "An open invite" : `An open invite: ${label}`),
    inviteMeans:
      "Whoever has the link can become a contact, once. It does not let them ask anything.",
    withdraw: "Withdraw",
    withdrawOf: (label: string) => `Withdraw the invite ${label}`,

    elsewhere: "Models elsewhere",
    elsewhereLead: "Models on other machines that your texts are sent to.",
    noElsewhere: "None. Whatever reads your texts runs on this machine.",
    what: {
      model: "Questions and the evidence for them go to",
      thinking: "Rows of a training that has nothing private, to be thought about, go to",
      embedder: "Questions and the texts of documents that are not private go to",
    },
    byHand: "set in settings.toml",
    choose: "Choose another",
    chooseOf: (host: string) => `Choose another instead of ${host}`,

    went: "Sent out so far",
    wentLead: "Since this home was made. Sizes and times, never the words.",
    to: "To",
    whatWent: "What",
    size: "Size",
    last: "Last",
    answers: (n: number) =>
      n === 0 ? "no answer; greetings and receipts" : many(n, "answer", "answers"),
    prompts: (n: number) => many(n, "prompt", "prompts"),
    texts: (n: number) => many(n, "batch of texts", "batches of texts"),
    forgotten: "Deleted contacts",
    notKnown: "no longer known",
    rest: "Everything else",
    restNothing: "nothing",
    log: "Network log, day by day",
    activity: "All activity",
  },
};
