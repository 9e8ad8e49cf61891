"use client";
import Link from "next/link";
import { useContacts } from "@/lib/api/people";
import { usePeopleText } from "@/lib/i18n/people";
import { PeerSeal } from "./page";
import { peopleHref } from "./views";

/** Contacts in the spine while People is open. */
export function PeopleShelf({ current }: { current: string }) {
  const t = usePeopleText();
  const items = useContacts().data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <>
      <p className="label people-shelf-label">{t.people.shelf}</p>
      <ul className="shelf-list">
        {items.map((contact) => (
          <li key={contact.id}>
            <Link
              className="people-shelf-row"
              href={peopleHref("contacts", contact.id)}
              aria-current={contact.id === current ? "true" : undefined}
            >
              <PeerSeal contact={contact} size="xs" />
              <span className="clip">{contact.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
