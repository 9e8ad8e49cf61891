/** The sentences of Memory's tabs. They are fetched with these screens alone, and so are no part of `en.ts`; see `places.ts`. */

const many = (n: number, one: string, more: string): string => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const placesEn = {
  tabs: { label: "Ways to look at it", today: "Today", map: "Map", timeline: "Timeline", pages: "Pages" },
  common: {
    asTable: "As a table",
    asPicture: "As a picture",
    more: "Show more",
    private: "private",
    openPlace: (where: string) => `Open the place: ${where}`,
  },
  timeline: {
    loading: "Counting the days",
    title: "A year of days",
    days: (n: number) => `${many(n, "day", "days")} with something in ${n === 1 ? "it" : "them"}`,
    less: "less",
    moreOf: "more",
    year: "Year",
    yearBefore: "The year before",
    yearAfter: "The year after",
    grid: (year: number) => `The days of ${String(year)}; arrow keys go by day and by week`,
    square: (date: string, passages: number, statements: number) => `${date}: ${passages === 0 ? "nothing" : many(passages, "passage", "passages")}${statements === 0 ? "" : `, ${many(statements, "statement", "statements")}`}`,
    undated: (n: number) => `${many(n, "passage has", "passages have")} no date and stand${n === 1 ? "s" : ""} on no day.`,
    span: "How much is shown",
    spans: { day: "Day", week: "Week", month: "Month" },
    week: (from: string, to: string) => `${from} to ${to}`,
    told: (passages: number, statements: number, documents: number) =>
      `${many(passages, "passage", "passages")} from ${many(documents, "document", "documents")}${statements === 0 ? "" : `, ${many(statements, "statement", "statements")} among them`}.`,
    names: (names: string) => `It tells of ${names}.`,
    saidBy: (name: string) => `said by ${name}`,
    others: (n: number) => `and ${n.toLocaleString("en")} more`,
    ask: { day: "Ask about this day", week: "Ask about this week", month: "Ask about this month" },
    question: { day: (when: string) => `What happened on ${when}?`, week: (when: string) => `What happened from ${when}?`, month: (when: string) => `What happened in ${when}?` },
    nothing: { day: "Nothing stands on this day.", week: "Nothing stands in this week.", month: "Nothing stands in this month." },
    choose: "Choose a sentence or a document to read it at its place.",
    empty: "No day holds anything yet.",
    emptyHint: "Diaries, letters, chats and photographs bring their own dates. A document without one can be dated in the library.",
    library: "Open the library",
    table: (year: number) => `The days of ${String(year)}`,
    columns: { day: "Day", passages: "Passages", statements: "Statements" },
  },
};
