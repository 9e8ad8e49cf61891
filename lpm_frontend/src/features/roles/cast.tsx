"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  Download,
  MessageCircle,
  MessagesSquare,
  Pencil,
  Plus,
  Trash2,
  Undo2,
  Upload,
} from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import {
  exportAddress,
  togetherQuery,
  useDeleteRole,
  useImportRole,
  useRestoreRole,
  useRoles,
  useRoleStarters,
} from "@/lib/api/roles";
import type { Role } from "@/lib/api/types";
import { useDock } from "@/lib/dock";
import { useLanguage, useText } from "@/lib/i18n";
import { useRolesText } from "@/lib/i18n/roles";
import { offerUndoWhen } from "@/lib/undo";
import { Bar } from "@/ui/bar";
import { Button, IconButton } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { RoleSeal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";

/** Roles in one conversation, at most: as the node has it. */
const MOST_SEATS = 6;

/** Every role, what each may see, and those to begin from. */
export function Cast() {
  const text = useText();
  const t = useRolesText();
  const language = useLanguage();
  const router = useRouter();
  const query = useRoles();
  const starters = useRoleStarters(language);
  const restore = useRestoreRole();
  const take = useImportRole();
  const file = useRef<HTMLInputElement>(null);
  const [strange, setStrange] = useState(false);
  const roles = query.data?.items ?? [];
  const deleted = query.data?.deleted ?? [];
  const [seated, setSeated] = useState<readonly string[] | null>(null);
  return (
    <>
      <Bar title={text.places.roles}>
        {roles.length > 1 ? (
          <IconButton
            icon={MessagesSquare}
            label={t.cast.several}
            worded="wide"
            aria-pressed={seated !== null}
            onClick={() => setSeated(seated === null ? [] : null)}
          />
        ) : null}
        <IconButton
          icon={Plus}
          label={t.cast.fresh}
          worded="wide"
          onClick={() => router.push("/roles?new=blank")}
        />
        <IconButton
          icon={Upload}
          label={t.cast.take}
          worded="wide"
          onClick={() => file.current?.click()}
        />
        <input
          ref={file}
          type="file"
          hidden
          aria-label={t.cast.take}
          accept=".json,application/json"
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            event.target.value = "";
            setStrange(false);
            if (chosen)
              take.mutate(chosen, {
                onSuccess: (made) => router.push(`/roles?id=${encodeURIComponent(made.id)}`),
                onError: (error) => setStrange(error instanceof SyntaxError),
              });
          }}
        />
      </Bar>
      <div className="main roles">
        <p className="roles-lead mute">{t.cast.lead}</p>
        {strange ? (
          <p role="alert">{t.cast.noFile}</p>
        ) : take.isError ? (
          <Trouble error={take.error} />
        ) : null}
        {query.isPending ? <Loading words={t.cast.loading} lines={4} /> : null}
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {query.isSuccess ? (
          <>
            {roles.length === 0 ? (
              <h2 className="roles-none">{t.cast.none}</h2>
            ) : (
              <section aria-labelledby="roles-yours">
                <h2 className="label" id="roles-yours">
                  {t.cast.yours}
                </h2>
                <ul className="cast">
                  {roles.map((role) => (
                    <Card
                      key={role.id}
                      role={role}
                      seated={seated === null ? null : seated.includes(role.id)}
                      full={(seated?.length ?? 0) >= MOST_SEATS}
                      onSeat={() =>
                        setSeated((now) =>
                          now?.includes(role.id)
                            ? now.filter((id) => id !== role.id)
                            : [...(now ?? []), role.id],
                        )
                      }
                    />
                  ))}
                </ul>
                {seated === null ? null : (
                  <Sitting seated={seated} onLeave={() => setSeated(null)} />
                )}
              </section>
            )}
            <section aria-labelledby="roles-starters">
              <h2 className="label" id="roles-starters">
                {t.cast.starters}
              </h2>
              <ul className="cast">
                {(starters.data?.items ?? []).map((starter) => (
                  <li key={starter.id} className="role-card">
                    <RoleSeal glyph={starter.seal} />
                    <h3>{starter.name}</h3>
                    <p className="small">{starter.purpose}</p>
                    <Button
                      size="small"
                      aria-label={t.cast.begin(starter.name)}
                      onClick={() => router.push(`/roles?new=${encodeURIComponent(starter.id)}`)}
                    >
                      {t.cast.beginHere}
                    </Button>
                  </li>
                ))}
              </ul>
            </section>
            {deleted.length === 0 ? null : (
              <section aria-labelledby="roles-deleted">
                <h2 className="label" id="roles-deleted">
                  {t.cast.deleted}
                </h2>
                <ul className="cast-gone">
                  {deleted.map((role) => (
                    <li key={role.id}>
                      <span>{role.name}</span>
                      <IconButton
                        icon={Undo2}
                        label={t.cast.restore(role.name)}
                        onClick={() => restore.mutate(role.id)}
                      />
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        ) : null}
      </div>
    </>
  );
}

/** Those who were chosen, what they see together, and the door to the conversation. */
function Sitting({ seated, onLeave }: { seated: readonly string[]; onLeave: () => void }) {
  const t = useRolesText();
  const router = useRouter();
  const sight = useQuery({
    ...togetherQuery(seated),
    enabled: seated.length > 1,
    placeholderData: keepPreviousData,
  });
  const dock = useDock<HTMLDivElement>();
  return (
    <div className="sitting" ref={dock}>
      <p className="small" role="status">
        {seated.length < 2 || !sight.data
          ? t.cast.severalLead
          : sight.data.passages === 0
            ? t.cast.togetherNone
            : t.cast.together(sight.data.passages, sight.data.of)}
      </p>
      {sight.isError ? <Trouble error={sight.error} /> : null}
      <p className="row">
        <Button
          tone="ink"
          size="small"
          disabled={seated.length < 2}
          onClick={() => router.push(`/?role=${seated.map(encodeURIComponent).join(",")}`)}
        >
          {t.cast.sit}
        </Button>
        <Button tone="quiet" size="small" onClick={onLeave}>
          {t.cast.leave}
        </Button>
      </p>
    </div>
  );
}

interface CardProps {
  role: Role;
  /** Whether it was chosen for a conversation with several; nothing while none are chosen. */
  seated: boolean | null;
  /** No more can be chosen. */
  full: boolean;
  onSeat: () => void;
}

function Card({ role, seated, full, onSeat }: CardProps) {
  const t = useRolesText();
  const remove = useDeleteRole();
  const restore = useRestoreRole();
  const limits = [...(role.sees.tags ?? []), ...(role.sees.folder ? [role.sees.folder] : [])].join(
    ", ",
  );
  const open =
    role.sees.kinds?.length === 0 &&
    role.sees.memory_kinds?.length === 0 &&
    !role.sees.since &&
    !role.sees.until &&
    !role.sees.private &&
    limits === "";
  return (
    <li className={seated ? "role-card seated" : "role-card"}>
      <RoleSeal glyph={role.seal} />
      <h3>
        <Link
          href={`/roles?id=${encodeURIComponent(role.id)}`}
          aria-label={t.cast.change(role.name)}
        >
          {role.name}
        </Link>
      </h3>
      <p className="small">{role.purpose}</p>
      <p className="tiny faint">
        {t.cast.sees(role.passages, role.of)}
        {open ? `\u00a0· ${t.cast.everything}` : limits === "" ? "" : `\u00a0· ${limits}`}
        {`\u00a0· ${t.cast.origins[role.origin]}`}
      </p>
      <p className="tiny mono faint">{role.model}</p>
      {seated === null ? (
        <div className="role-acts">
          <Link
            className="btn small ink"
            href={`/?role=${encodeURIComponent(role.id)}`}
            aria-label={t.cast.chat(role.name)}
          >
            <Icon of={MessageCircle} />
            {t.cast.talk}
          </Link>
          <Link
            className="ib"
            href={`/roles?id=${encodeURIComponent(role.id)}`}
            aria-label={t.cast.change(role.name)}
            title={t.cast.change(role.name)}
          >
            <Icon of={Pencil} />
          </Link>
          <a
            className="ib"
            href={exportAddress(role.id)}
            download
            aria-label={t.cast.hand(role.name)}
            title={t.cast.hand(role.name)}
          >
            <Icon of={Download} />
          </a>
          <IconButton
            icon={Trash2}
            label={t.cast.remove(role.name)}
            onClick={() =>
              offerUndoWhen(remove.mutateAsync(role.id), () => ({
                sentence: t.cast.removed(role.name),
                undo: () => restore.mutate(role.id),
              }))
            }
          />
        </div>
      ) : (
        <label className="check role-seat">
          <input type="checkbox" checked={seated} disabled={full && !seated} onChange={onSeat} />
          <span>{t.cast.seat(role.name)}</span>
        </label>
      )}
    </li>
  );
}
