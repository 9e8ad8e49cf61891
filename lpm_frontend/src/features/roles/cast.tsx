"use client";
import { Download, MessageCircle, Pencil, Plus, Trash2, Undo2, Upload } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { exportAddress, useDeleteRole, useImportRole, useRestoreRole, useRoles, useRoleStarters } from "@/lib/api/roles";
import type { Role } from "@/lib/api/types";
import { useLanguage, useText } from "@/lib/i18n";
import { useRolesText } from "@/lib/i18n/roles";
import { offerUndo } from "@/lib/undo";
import { Bar } from "@/ui/bar";
import { Button, IconButton } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Icon } from "@/ui/icon";
import { RoleSeal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";

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
  return (
    <>
      <Bar title={text.places.roles}>
        <IconButton icon={Plus} label={t.cast.fresh} worded="wide" onClick={() => router.push("/roles?new=blank")} />
        <IconButton icon={Upload} label={t.cast.take} worded="wide" onClick={() => file.current?.click()} />
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
            if (chosen) take.mutate(chosen, { onSuccess: (made) => router.push(`/roles?id=${encodeURIComponent(made.id)}`), onError: (error) => setStrange(error instanceof SyntaxError) });
          }}
        />
      </Bar>
      <div className="main roles">
        <p className="roles-lead mute">{t.cast.lead}</p>
        {strange ? <p role="alert">{t.cast.noFile}</p> : take.isError ? <Trouble error={take.error} /> : null}
        {query.isPending ? <Loading words={t.cast.loading} lines={4} /> : null}
        {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
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
                    <Card key={role.id} role={role} />
                  ))}
                </ul>
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
                    <Button size="small" aria-label={t.cast.begin(starter.name)} onClick={() => router.push(`/roles?new=${encodeURIComponent(starter.id)}`)}>
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
                      <IconButton icon={Undo2} label={t.cast.restore(role.name)} onClick={() => restore.mutate(role.id)} />
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

function Card({ role }: { role: Role }) {
  const t = useRolesText();
  const remove = useDeleteRole();
  const restore = useRestoreRole();
  const limits = [...(role.sees.tags ?? []), ...(role.sees.folder ? [role.sees.folder] : [])].join(", ");
  const open = role.sees.kinds?.length === 0 && role.sees.memory_kinds?.length === 0 && !role.sees.since && !role.sees.until && !role.sees.private && limits === "";
  return (
    <li className="role-card">
      <RoleSeal glyph={role.seal} />
      <h3>
        <Link href={`/roles?id=${encodeURIComponent(role.id)}`} aria-label={t.cast.change(role.name)}>
          {role.name}
        </Link>
      </h3>
      <p className="small">{role.purpose}</p>
      <p className="tiny faint">
        {t.cast.sees(role.passages, role.of)}
        {open ? ` · ${t.cast.everything}` : limits === "" ? "" : ` · ${limits}`}
        {` · ${t.cast.origins[role.origin]}`}
      </p>
      <p className="tiny mono faint">{role.model}</p>
      <div className="role-acts">
        <Link className="btn small ink" href={`/?role=${encodeURIComponent(role.id)}`} aria-label={t.cast.chat(role.name)}>
          <Icon of={MessageCircle} />
          {t.cast.talk}
        </Link>
        <Link className="ib" href={`/roles?id=${encodeURIComponent(role.id)}`} aria-label={t.cast.change(role.name)} title={t.cast.change(role.name)}>
          <Icon of={Pencil} />
        </Link>
        <a className="ib" href={exportAddress(role.id)} download aria-label={t.cast.hand(role.name)} title={t.cast.hand(role.name)}>
          <Icon of={Download} />
        </a>
        <IconButton
          icon={Trash2}
          label={t.cast.remove(role.name)}
          onClick={() => remove.mutate(role.id, { onSuccess: () => offerUndo({ sentence: t.cast.removed(role.name), undo: () => restore.mutate(role.id) }) })}
        />
      </div>
    </li>
  );
}
