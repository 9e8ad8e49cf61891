/** Sentences about an endpoint that words the questions of a training; see `training.ts`. */
const many = (n: number, one: string, more: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

export const wordsEn = {
  title: "The endpoint that words the questions",
  url: "Its address",
  key: "Key",
  keyHint: "Leave it empty to use the one that you gave before.",
  model: "Model there",
  look: "What would leave?",
  looking: "Counting",
  sends: (n: number, host: string) =>
    `${many(n, "sentence", "sentences")} that you kept or wrote would go to ${host}, one at a time and without your name. What was sent stays sent.`,
  stays: (n: number, host: string) =>
    `${many(n, "sentence", "sentences")} would be read by ${host}, on this machine. Nothing leaves it.`,
  kept: (n: number) => `${many(n, "private one", "private ones")} would stay here.`,
  clear: "The way there is not encrypted.",
  yes: (host: string) => `Send them to ${host}`,
  lead: (n: number, host: string) =>
    `It would learn ${many(n, "statement", "statements")}. ${host} words the questions; all else happens on this machine.`,
  worded: (n: number, of: number, host: string) =>
    `${host} worded questions about ${n.toLocaleString("en")} of ${many(of, "statement", "statements")}. The others are worded by rule.`,
  wordedAll: (of: number, host: string) =>
    `${host} worded questions about all ${many(of, "statement", "statements")}.`,
  gaveUp: "It was not asked again:",
  gaveUpShort: "It was not asked again, because it did not answer as it should.",
  sent: (n: number, host: string) => `${many(n, "sentence", "sentences")} to ${host}`,
  sentRows: (n: number, host: string) =>
    `${many(n, "question", "questions")} with answers to ${host}`,
  both: (one: string, other: string) => `${one} and ${other}`,
  thinker: "The model that thinks",
  thought: (n: number, of: number, who: string) =>
    `${who} worded the thoughts of ${n.toLocaleString("en")} of ${many(of, "row", "rows")}. The others have theirs by rule.`,
  thoughtAll: (of: number, who: string) =>
    `${who} worded the thoughts of all ${many(of, "row", "rows")}.`,
};
