"use client";
import { useState, type SyntheticEvent } from "react";
import { useAtTable } from "@/lib/api/discussions";
import type { DiscussionDetail, TableGrant } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, useText } from "@/lib/i18n";
import { useTableText } from "@/lib/i18n/table";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { TagChoice } from "./tag-choice";
import { isInvited } from "./views";

const FORMS = ["answer", "summary", "excerpt"] as const;
const TURNS = ["5", "10", "30"] as const;

/** How the person stands at the table of a contact: invited, seated, or gone. */
export function Invitation({ table }: { table: DiscussionDetail }) {
  const t = useTableText();
  const acts = useAtTable(table.id);
  const host = table.host_name ?? "";
  if (isInvited(table)) return <SitDown table={table} acts={acts} />;
  if (table.invitation === "accepted" && table.state !== "closed")
    return (
      <section className="table-invitation" aria-label={t.guest.label}>
        <p>{t.guest.there(host)}</p>
        {table.grant ? <Granted grant={table.grant} /> : null}
        <Leave table={table} />
      </section>
    );
  const { declined, left, withdrawn, expired } = t.guest;
  const said = { declined, left, withdrawn, expired }[table.invitation as string];
  return <p className="table-invitation mute small">{said ? said(host) : t.guest.there(host)}</p>;
}

function Leave({ table }: { table: DiscussionDetail }) {
  const text = useText();
  const t = useTableText();
  const { leave } = useAtTable(table.id);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        {t.guest.leave}
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t.guest.leave}
        closeLabel={text.frame.close}
      >
        <p>{t.guest.leaveSure}</p>
        <p className="row">
          <Button
            tone="beni"
            disabled={leave.isPending}
            onClick={() => leave.mutate(ownOf(table), { onSuccess: () => setAsking(false) })}
          >
            {t.guest.leave}
          </Button>
          <Button tone="quiet" onClick={() => setAsking(false)}>
            {t.tools.cancel}
          </Button>
        </p>
        {leave.isError ? <Trouble error={leave.error} /> : null}
      </Dialog>
    </>
  );
}

/** One of the members for whom this node speaks: who goes, goes with all of them. */
const ownOf = (table: DiscussionDetail): string =>
  table.members.find((member) => member.mine)?.id ?? "";

function Granted({ grant }: { grant: TableGrant }) {
  const t = useTableText();
  const language = useLanguage();
  const how = FORMS.find((each) => each === grant.form);
  return (
    <p className="small mute">
      {t.guest.granted(grant.tags.join(", "), how ? t.guest.forms[how] : grant.form)}{" "}
      {t.guest.spent(grant.spent, grant.turns)} {t.beside.until(formatDate(grant.until, language))}
    </p>
  );
}

function SitDown({
  table,
  acts,
}: {
  table: DiscussionDetail;
  acts: ReturnType<typeof useAtTable>;
}) {
  const t = useTableText();
  const language = useLanguage();
  const host = table.host_name ?? "";
  const [tags, setTags] = useState<readonly string[]>([]);
  const [form, setForm] = useState<(typeof FORMS)[number]>("excerpt");
  const [turns, setTurns] = useState<(typeof TURNS)[number]>("30");
  const [tried, setTried] = useState(false);
  const none = tags.length === 0;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (!none) acts.accept.mutate({ tags: [...tags], form, turns: Number(turns), kinds: [] });
  };
  return (
    <form className="table-invitation new-table" aria-label={t.guest.label} onSubmit={submit}>
      <p>{t.guest.invited(host)}</p>
      <p className="small mute">{t.guest.lead(host)}</p>
      <p className="small">
        {t.guest.stays(`${formatDate(table.until, language)} ${formatTime(table.until, language)}`)}
      </p>
      <TagChoice
        label={t.form.tags}
        empty={t.form.noTags}
        chosen={tags}
        onChange={setTags}
        wrong={tried && none ? t.form.tagsMissing : ""}
      />
      <Segmented
        label={t.guest.form}
        value={form}
        choices={FORMS.map((each) => [each, t.guest.forms[each]] as const)}
        onChange={setForm}
      />
      <Segmented
        label={t.guest.turns}
        value={turns}
        choices={TURNS.map((each) => [each, each] as const)}
        onChange={setTurns}
      />
      {acts.accept.isError ? <Trouble error={acts.accept.error} /> : null}
      {acts.decline.isError ? <Trouble error={acts.decline.error} /> : null}
      <p className="row">
        <Button type="submit" tone="ink" disabled={acts.accept.isPending}>
          {t.guest.accept}
        </Button>
        <Button
          tone="quiet"
          disabled={acts.decline.isPending}
          onClick={() => acts.decline.mutate()}
        >
          {t.guest.decline}
        </Button>
      </p>
    </form>
  );
}
