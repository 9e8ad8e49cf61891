"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { peopleWishOf } from "@/features/people/views";

const Contacts = dynamic(
  () => import("@/features/people/contacts").then((module) => module.Contacts),
  { ssr: false },
);
const OneContact = dynamic(
  () => import("@/features/people/contact").then((module) => module.OneContact),
  { ssr: false },
);
const Grants = dynamic(() => import("@/features/people/grants").then((module) => module.Grants), {
  ssr: false,
});
const Composer = dynamic(
  () => import("@/features/people/composer").then((module) => module.Composer),
  { ssr: false },
);
const Offers = dynamic(() => import("@/features/people/offers").then((module) => module.Offers), {
  ssr: false,
});
const Inbox = dynamic(() => import("@/features/people/inbox").then((module) => module.Inbox), {
  ssr: false,
});
const NetworkLog = dynamic(
  () => import("@/features/people/network").then((module) => module.NetworkLog),
  { ssr: false },
);

/**
 * `/people?view=contacts|grants|give|offers|inbox|network&id=`; each view is fetched when it is
 * asked for.
 */
export default function PeoplePage() {
  const said = useSearchParams().toString();
  const { view, id } = useMemo(() => peopleWishOf(new URLSearchParams(said)), [said]);
  switch (view) {
    case "contacts":
      return id === "" ? <Contacts /> : <OneContact key={id} id={id} />;
    case "grants":
      return <Grants />;
    case "give":
      return <Composer key={id} id={id} />;
    case "offers":
      return <Offers />;
    case "inbox":
      return <Inbox />;
    case "network":
      return <NetworkLog />;
  }
}
