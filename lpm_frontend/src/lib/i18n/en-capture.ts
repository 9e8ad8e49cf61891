/** The sentences of writing an entry; fetched with it. See `capture.ts`. */
export const captureEn = {
  capture: {
    label: (day: string) => `Today, ${day}`,
    placeholder: "What happened? What is on your mind?",
    save: "Save entry",
    saving: "Saving",
    saved: "Entry saved.",
    kept: "Your words are kept in this browser until they are saved.",
    folder: "Diary",
    goingOn: "What is going on",
    days: { today: "Today", tomorrow: "Tomorrow" },
    lately: (name: string, day: string) => `${name} came up on ${day}`,
    write: (name: string) => `Write about ${name}`,
    open: (title: string) => `Open the source in ${title}`,
    dictate: "Dictate",
    dictateStop: "Stop dictating",
    dictating: "Listening on this device",
  },
};
