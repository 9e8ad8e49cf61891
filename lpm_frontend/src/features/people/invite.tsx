"use client";
import { QrCode } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useInvite, useInviteCode } from "@/lib/api/people";
import { useStatus } from "@/lib/api/status";
import type { Invite } from "@/lib/api/types";
import { formatDate, formatTime, useLanguage, useText } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { CopyButton } from "@/ui/faces";
import { Area, Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

const SPANS = { hour: 3_600, six: 21_600, day: 86_400 } as const;
type Span = keyof typeof SPANS;

/** Make a link for one person, and copy it. The link is shown here and nowhere else. */
export function InviteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const text = useText();
  const t = usePeopleText();
  const [made, setMade] = useState<Invite | null>(null);
  const unnamed = useStatus().data?.named === false;
  const close = (): void => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={t.invite.title} closeLabel={text.frame.close}>
      {unnamed ? (
        <Unnamed />
      ) : made ? (
        <Made invite={made} onAnother={() => setMade(null)} />
      ) : (
        <Making onMade={setMade} />
      )}
    </Dialog>
  );
}

/** An invite says who invites. */
export function Unnamed() {
  const t = usePeopleText();
  return (
    <div className="invite-form">
      <p>{t.invite.nameless}</p>
      <Link className="btn" href="/settings#you">
        {t.invite.settings}
      </Link>
    </div>
  );
}

function Making({ onMade }: { onMade: (invite: Invite) => void }) {
  const t = usePeopleText();
  const invite = useInvite();
  const [label, setLabel] = useState("");
  const [span, setSpan] = useState<Span>("day");
  const make = (): void =>
    void invite.mutateAsync({ label, expires_in: SPANS[span] }).then(onMade, () => undefined);
  return (
    <form
      className="invite-form"
      onSubmit={(event) => {
        event.preventDefault();
        make();
      }}
    >
      <p className="mute">{t.invite.lead}</p>
      <Field
        label={t.invite.label}
        hint={t.invite.labelHint}
        value={label}
        maxLength={200}
        onChange={(event) => setLabel(event.target.value)}
      />
      <Segmented
        label={t.invite.holds}
        value={span}
        choices={(Object.keys(SPANS) as Span[]).map(
          (each) => [each, t.invite.spans[each]] as const,
        )}
        onChange={setSpan}
      />
      {invite.isError ? <Trouble error={invite.error} /> : null}
      <div className="row wrap">
        <Button tone="ink" type="submit" disabled={invite.isPending}>
          {t.invite.create}
        </Button>
        <span className="small mute" role="status">
          {invite.isPending ? t.invite.making : ""}
        </span>
      </div>
    </form>
  );
}

function Made({ invite, onAnother }: { invite: Invite; onAnother: () => void }) {
  const t = usePeopleText();
  const language = useLanguage();
  const link = invite.invite ?? "";
  const [drawn, setDrawn] = useState(false);
  return (
    <div className="invite-form">
      {invite.addresses.length === 0 ? (
        <p className="people-notice" role="status">
          {t.invite.unreachable}
        </p>
      ) : null}
      <Area
        className="invite-link"
        label={t.invite.link}
        value={link}
        readOnly
        onFocus={(event) => event.target.select()}
      />
      <p className="small mute num">
        {t.invite.until(
          `${formatDate(invite.expires_at, language)} ${formatTime(invite.expires_at, language)}`,
        )}
      </p>
      <p className="small mute">{t.invite.lead}</p>
      <div className="row wrap">
        <CopyButton className="btn" value={link} label={t.invite.copy} done={t.invite.copied} />
        {drawn ? null : (
          <Button icon={QrCode} onClick={() => setDrawn(true)}>
            {t.invite.showCode}
          </Button>
        )}
        <Button tone="quiet" onClick={onAnother}>
          {t.invite.another}
        </Button>
      </div>
      {drawn ? <Code id={invite.id} /> : null}
    </div>
  );
}

/** The link as a QR code: ink on white in both lights, since readers look for dark on light. */
function Code({ id }: { id: string }) {
  const t = usePeopleText();
  const query = useInviteCode(id);
  if (query.isError) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  const code = query.data;
  return (
    <div className="invite-code">
      {code ? (
        <svg
          role="img"
          aria-label={t.invite.code}
          viewBox={`0 0 ${code.size} ${code.size}`}
          shapeRendering="crispEdges"
        >
          <path d={code.path} />
        </svg>
      ) : null}
    </div>
  );
}
