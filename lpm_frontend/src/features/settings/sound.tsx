"use client";
import { useOwnStyle, useSaveOwnVoice } from "@/lib/api/identity";
import type { LanguageStyle, OwnStyle } from "@/lib/api/types";
import { useLanguage } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { Loading } from "@/ui/faces";
import { Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

const WORDS = 12;
const percent = (share: number): string =>
  share > 0 && share < 0.01 ? "<1%" : `${String(Math.round(share * 100))}%`;

/** How the person writes, beside ordinary text, and whether answers take it on. */
export function Sound() {
  const words = useSettingsText();
  const query = useOwnStyle();
  return (
    <section className="preview sound" aria-labelledby="sound-name">
      <h3 id="sound-name">{words.style.title}</h3>
      {query.data ? (
        <Shown style={query.data} />
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
    </section>
  );
}

function Shown({ style }: { style: OwnStyle }) {
  const words = useSettingsText();
  const language = useLanguage();
  const number = (n: number): string => n.toLocaleString(language);
  const measured = new Set<string>(style.styles.map((each) => each.language));
  const little = style.languages.filter(
    (each) => each.needed !== null && !measured.has(each.language),
  );
  return (
    <>
      {style.documents + style.turns === 0 ? (
        <p className="small mute">{words.style.nothing}</p>
      ) : (
        <p className="tiny faint">{words.style.lead(style.documents, style.turns)}</p>
      )}
      {style.styles.map((each) => (
        <InLanguage
          key={each.language}
          style={each}
          share={style.languages.find((one) => one.language === each.language)?.share ?? 0}
        />
      ))}
      {little.map((each) => (
        <p key={each.language} className="small mute num">
          {words.style.little(
            words.style.languages[each.language],
            number(each.characters),
            number(each.needed ?? 0),
          )}
        </p>
      ))}
      {style.styles.some((each) => each.told !== "") ? <Use style={style} /> : null}
    </>
  );
}

/** One language: bars against ordinary text, and the words that are theirs. */
function InLanguage({ style, share }: { style: LanguageStyle; share: number }) {
  const words = useSettingsText();
  const name = words.style.languages[style.language];
  return (
    <section className="sound-language" aria-label={name}>
      <h4>
        {name} <span className="tiny faint num">{words.style.share(percent(share))}</span>
      </h4>
      {style.tells_apart ? null : <p className="small mute">{words.style.mixed}</p>}
      <Figures style={style} />
      {style.words.length === 0 ? null : (
        <div>
          <p className="label">{words.style.more}</p>
          <ul className="sound-words">
            {style.words.slice(0, WORDS).map(({ word }) => (
              <li key={word} className="own">
                {word}
              </li>
            ))}
          </ul>
        </div>
      )}
      {style.told === "" ? null : (
        <details>
          <summary className="small">{words.style.told}</summary>
          <p className="small mute" lang="en">
            {style.told}
          </p>
        </details>
      )}
    </section>
  );
}

function Figures({ style }: { style: LanguageStyle }) {
  const words = useSettingsText();
  const names: Readonly<Record<string, string>> = words.style.figures;
  return (
    <table className="sound-figures">
      <caption className="sr">{words.style.table}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{words.style.you}</th>
          <th scope="col" className="faint">
            {words.style.others}
          </th>
        </tr>
      </thead>
      <tbody>
        {style.figures
          .filter(({ name, own, general }) => name in names && Math.max(own, general) >= 0.005)
          .map(({ name, own, general }) => {
            const most = name === "length" ? Math.max(own, general) : Math.max(1, own, general);
            const said = (value: number): string =>
              name !== "length"
                ? percent(value)
                : style.language === "ja"
                  ? words.style.characters(String(Math.round(value)))
                  : words.style.words(String(Math.round(value)));
            return (
              <tr key={name}>
                <th scope="row">
                  {names[name]}
                  <span className="sound-bars" aria-hidden="true">
                    <i data-whose="own" style={{ width: `${String((own / most) * 100)}%` }} />
                    <i style={{ width: `${String((general / most) * 100)}%` }} />
                  </span>
                </th>
                <td className="num">{said(own)}</td>
                <td className="num faint">{said(general)}</td>
              </tr>
            );
          })}
      </tbody>
    </table>
  );
}

function Use({ style }: { style: OwnStyle }) {
  const words = useSettingsText();
  const save = useSaveOwnVoice();
  return (
    <div className="sound-use">
      <Segmented
        label={words.style.use}
        value={save.isPending ? save.variables : style.own_voice}
        choices={[
          ["auto", words.style.uses.auto],
          ["on", words.style.uses.on],
          ["off", words.style.uses.off],
        ]}
        onChange={(wanted) => save.mutate(wanted)}
      />
      <p className="tiny faint" role="status">
        {style.taken_on ? words.style.now : words.style.notNow} {words.style.useHint}
      </p>
      {save.isError ? <Trouble error={save.error} /> : null}
    </div>
  );
}
