/**
 * A little of an invented life, with what is hard to count: Japanese, characters beyond the first
 * plane, lines and pages.
 */

export const DIARY = {
  name: "diary-2024-04-06.md",
  text: [
    "# Diary, 6 April 2024",
    "",
    "𠮷 weather, 👩‍🎻 and all. I moved the workshop to Teramachi on 6 April 2024.",
    "",
    "I wanted to see the new room through one rainy season first. Spruce remembers.",
    "",
    "Mr Ide kept the old room for nine years and I owe him a proper goodbye.",
  ].join("\n"),
};

export const LETTER = {
  name: "letter-to-ottilie.txt",
  text: "Dear Ottilie,\n\nYour cello is strung and awake. I left the scratch by the left f-hole, as you asked.\n\nN.",
};

export const KOBO = {
  name: "工房日誌-2024-04-06.md",
  text: "# 工房日誌\n\n2024年4月6日、工房を寺町へ移した。梅雨をひとつ見届けてから、ニスの楽器を吊るす。",
};

/** A PDF of as many pages as there are texts, written by hand: one line of Helvetica on each. */
export function pdf(pages: readonly string[]): Buffer {
  const objects: string[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [at, text] of pages.entries()) {
    const stream = `BT /F1 12 Tf 72 720 Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    "latin1",
  );
}

export const LEASE = {
  name: "lease-teramachi.pdf",
  pages: [
    "Lease of the rooms in Teramachi.",
    "The rent is payable on the fifth of each month to Mrs Tsuda.",
  ],
};
