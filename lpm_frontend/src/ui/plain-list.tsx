interface Plain {
  readonly code: string;
  readonly place: string;
}

/** What can be read without the passphrase of the home, and where it lies. */
export function PlainList({
  title,
  names,
  items,
}: {
  title: string;
  names: Readonly<Record<string, string>>;
  items: readonly Plain[];
}) {
  return (
    <div className="plain-list">
      <p className="label">{title}</p>
      <ul className="keylist">
        {items.map(({ code, place }) => (
          <li key={code}>
            <span>{names[code] ?? code}</span>
            <code className="tiny">{place}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
