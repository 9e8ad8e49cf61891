"use client";
import { useDeferredValue, useId, useState } from "react";
import { useDocuments } from "@/lib/api/documents";
import { useMakeOffer } from "@/lib/api/offers";
import type { Contact, Offer } from "@/lib/api/types";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Loading } from "@/ui/faces";
import { Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

const SPANS = { day: 1, week: 7, month: 30 } as const;
type Span = keyof typeof SPANS;

interface OfferDialogProps {
  open: boolean;
  /** To whom it may go: one at least. */
  to: readonly Contact[];
  onClose: () => void;
  onMade: (offer: Offer) => void;
}

/** Offer one document to one contact, for so long. */
export function OfferDialog({ open, to, onClose, onMade }: OfferDialogProps) {
  const text = useText();
  const t = usePeopleText();
  return (
    <Dialog open={open} onClose={onClose} title={t.offer.title} closeLabel={text.frame.close}>
      <OfferForm to={to} onMade={onMade} />
    </Dialog>
  );
}

/** What the dialog holds. */
export function OfferForm({ to, onMade }: Pick<OfferDialogProps, "to" | "onMade">) {
  const t = usePeopleText();
  const offer = useMakeOffer();
  const [contact, setContact] = useState(to[0]?.id ?? "");
  const [chosen, setChosen] = useState("");
  const [words, setWords] = useState("");
  const [span, setSpan] = useState<Span>("week");
  const documents = useDocuments(useDeferredValue(words.trim()), true);
  const items = documents.data?.pages.flatMap((page) => page.items);
  // what is not shown as chosen is not offered
  const document = items?.some(({ id }) => id === chosen) ? chosen : "";
  const select = useId();
  return (
    <form
      className="invite-form"
      onSubmit={(event) => {
        event.preventDefault();
        void offer
          .mutateAsync({ contact, document, days: SPANS[span] })
          .then(onMade, () => undefined);
      }}
    >
      <p className="mute">{t.offer.lead}</p>
      {to.length === 1 ? (
        <p>{t.offer.toName(to[0]?.name ?? "")}</p>
      ) : (
        <div className="field">
          <label className="label" htmlFor={select}>
            {t.offer.to}
          </label>
          <select id={select} value={contact} onChange={(event) => setContact(event.target.value)}>
            {to.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        </div>
      )}
      <Field
        type="search"
        label={t.offer.find}
        value={words}
        maxLength={200}
        onChange={(event) => setWords(event.target.value)}
      />
      <Which documents={documents} chosen={document} onChoose={setChosen} />
      <Segmented
        label={t.offer.lasts}
        value={span}
        choices={(Object.keys(SPANS) as Span[]).map((each) => [each, t.offer.spans[each]] as const)}
        onChange={setSpan}
      />
      {offer.isError ? <Trouble error={offer.error} /> : null}
      <div className="row">
        <Button tone="ink" type="submit" disabled={offer.isPending || document === ""}>
          {t.offer.send}
        </Button>
      </div>
    </form>
  );
}

interface WhichProps {
  documents: ReturnType<typeof useDocuments>;
  chosen: string;
  onChoose: (id: string) => void;
}

/** The documents that were found, the newest first; private ones are not among them. */
function Which({ documents, chosen, onChoose }: WhichProps) {
  const t = usePeopleText();
  const language = useLanguage();
  const name = useId();
  const items = documents.data?.pages.flatMap((page) => page.items);
  return (
    <fieldset className="offer-which">
      <legend className="label">{t.offer.which}</legend>
      {documents.isError ? (
        <Trouble error={documents.error} onRetry={() => void documents.refetch()} />
      ) : items === undefined ? (
        <Loading words={t.people.loading} lines={3} />
      ) : items.length === 0 ? (
        <p className="small mute">{t.offer.noDocuments}</p>
      ) : (
        items.map((each) => (
          <label key={each.id}>
            <input
              type="radio"
              name={name}
              checked={each.id === chosen}
              onChange={() => onChoose(each.id)}
            />
            <span className="clip own">{each.title}</span>
            <span className="tiny faint num">{formatBytes(each.bytes, language)}</span>
          </label>
        ))
      )}
      {documents.hasNextPage ? (
        <Button
          size="small"
          disabled={documents.isFetchingNextPage}
          onClick={() => void documents.fetchNextPage()}
        >
          {t.offer.more}
        </Button>
      ) : null}
    </fieldset>
  );
}
