/** The sentences of the lock of the home. */
export const lockEn = {
  lock: {
    title: "Lock this home",
    lead: "A passphrase seals everything in the home whenever the node ends: memories, originals, pages, backups, keys and logs.",
    off: "This home has no passphrase.",
    open: "This home has a passphrase and is open now. It is locked when the node ends.",
    loading: "Looking at the lock",
    passphrase: "Passphrase",
    passphraseHint:
      "At least 8 characters. Four words that you did not read anywhere are a good one.",
    again: "The passphrase again",
    differs: "The two are not the same.",
    before: "The present passphrase",
    understood: "I know that nobody can open the home for me if I forget it.",
    before1:
      "If you forget it, everything is lost. Nobody can reset it: not you, not us, and no command. The backups in the home are locked with it.",
    before2:
      "While the node runs, everything lies in the home as plain files, and after a power cut until the node starts again. Encrypt the disk as well: FileVault, BitLocker or LUKS.",
    before3:
      "While it is locked nothing is done at night, no job runs, and contacts find you away; their questions wait with them.",
    set: "Set the passphrase",
    setting: "Setting it",
    change: "Change the passphrase",
    remove: "Remove the passphrase",
    removing: "Removing it",
    keep: "Cancel",
    now: "Lock now",
    locking: "Locking. This page comes back with the lock.",
    plain: "Readable without the passphrase, as things stand",
    codes: {
      home: "Everything in the home, while it is open",
      workspace: "Your pages, which Obsidian and other editors open",
      models: "Models that were fetched",
      run: "Numbers of processes and ports",
      backups_elsewhere: "Backups outside the home: the lock does not reach them",
      strays: "Files that another program put here since it was locked",
    } as Record<string, string>,
    lockedTitle: "Your home is locked",
    lockedLead:
      "All of it is sealed on the disk. Nights, jobs and contacts wait until you unlock it.",
    forgotten: "Without the passphrase nobody can open it.",
    unlock: "Unlock",
    unlocking: "Unlocking. A large home takes a while.",
  },
};
