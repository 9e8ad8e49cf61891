/** The sentences of what a conversation keeps. Part of `en.ts`. */

const turns = (n: number): string => `${n.toLocaleString("en")} ${n === 1 ? "turn" : "turns"}`;

export const enKeeping = {
  keeping: {
    part: "Begin a new thread here",
    parted: "A new thread begins here",
    join: "Join with the thread above",
    joined: "Joined with the thread above",
    title: "What this conversation keeps",
    tool: { full: "Keeps everything", summary: "Keeps a summary", none: "Private" },
    newTitle: "Conversations",
    newLead: "What a new conversation keeps. You can change it in each one.",
    names: { full: "Everything", summary: "A summary", none: "Nothing: a private conversation" },
    means: {
      full: "Every word stays until you delete it. What you say becomes memory.",
      summary:
        "After ten minutes without a word, or when you go on elsewhere, up to six sentences of each part stay, word for word. All other words are thrown away. Only those sentences become memory, and what you correct in it is kept.",
      none: "Nothing you say becomes memory. It is erased when you leave it, after ten minutes without a word, or when the node starts again.",
    },
    band: {
      summary: "This conversation keeps a summary. Other words go ten minutes after the last one.",
      none: "Private: nothing said here becomes memory. It is erased when you leave it or reload the page, and after ten minutes without a word.",
    },
    now: "Now",
    use: "Use this",
    cancel: "Cancel",
    sure: {
      summary: (n: number) =>
        `The words of ${turns(n)} are thrown away, here and in the backups; this cannot be undone.`,
      none: (n: number) =>
        `What you told in ${turns(n)} is forgotten now. The conversation is erased when you leave it, here and in the backups; this cannot be undone.`,
    },
    lost: (n: number) =>
      `${n === 1 ? "One memory" : `${n.toLocaleString("en")} memories`} that you kept from words that go ${n === 1 ? "is" : "are"} lost.`,
    summariesToo: "Its summaries are forgotten now too; this cannot be undone.",
    exports: "Archives ready for download are deleted.",
    branches:
      "Conversations that were branched from this one keep what they hold; change them one by one.",
    later: "It counts for what is said from now on.",
    discard: (n: number) => `Throw away the words of ${turns(n)}`,
    forget: "Make it private",
    newPrivate: "New private conversation",
    marks: { summary: "keeps a summary", none: "private" },
    summary: "Summary",
    onlySummaryOf: (n: number) => `${turns(n)}, of which only the summary was kept`,
    nothingKept: "None of its words were kept.",
    kinds: {
      told: "told",
      decided: "decided",
      promised: "promised",
      asked: "asked",
      answered: "answered",
    },
    you: "You",
    self: "Second self",
    open: "Go to where it was said",
  },
};
