/** The node's shapes under the names that the screens use. Generated shapes are in `schema.d.ts`; nothing is written twice. */
export type {
  Added as Accepted,
  CheckOut as Check,
  CitationOut as Citation,
  ConversationOut as Conversation,
  DocumentOut as Document,
  HealthOut as Health,
  IdentityOut as Identity,
  ItemOut as Item,
  JobOut as Job,
  KeyIn as KeyWish,
  KeyOut as Key,
  ModelChoice as Choice,
  ModelOut as Model,
  PartOut as Part,
  PassageOut as Passage,
  ProbeOut as Probe,
  ProblemOut as Problem,
  StatusOut as Status,
  TextOut as TextWindow,
  TurnOut as Turn,
} from "./schema";
import type { SettingsIo } from "./schema";

/** What the node answers is whole; what it is sent may leave defaults out. */
export type Settings = Required<SettingsIo>;
