/**
 * What the node itself says in English, in Japanese: checks by `id.state`, problems by the last
 * part of their type. What is not here is shown word for word.
 */
import type { Text } from "./en";

export const nodeJa: Pick<Text, "checks" | "problems"> = {
  checks: {
    "listens_only_here.fine": ([host, ...contacts]) =>
      `画面とAPIは${host ?? "この機械"}だけで待ち受けています。${contacts.length === 0 ? "" : "連絡先からは、ほかの機械からも届きます。"}`,
    "listens_only_here.look": ([host, outside]) =>
      outside === "127.0.0.1"
        ? `コンテナーの中で、画面とAPIが${host ?? ""}で待ち受けています。公開したポートに届く人は、ここにも届きます。127.0.0.1だけに公開してください。`
        : `画面とAPIが${host ?? ""}で待ち受けていて、ほかの機械からも届きます。`,
    "model_on_disk.fine": () => "ディスクにあり、使えます。",
    "model_on_disk.look": () => "起動しています。",
    "model_on_disk.broken": () => "応答していません。",
    "model_endpoint.fine": () => "接続先が答えています。",
    "model_endpoint.broken": () => "接続先が応答していません。",
    "embedder.fine": () => "動いています。",
    "embedder.look": () => "起動しています。",
    "embedder.broken": () => "動いていません。言葉だけで探します。",
    "reader.fine": () => "動いています。",
    "reader.look": () => "起動しています。",
    "reader.broken": () => "動いていません。言葉と意味の近さで引用を選びます。",
    "connections_outward.fine": () => "ありません。",
    "connections_outward.look": ([size, answers]) =>
      `${size ?? ""} kBが外に出ました。うち連絡先への答えは${answers ?? "0"}件です。`,
    "connections_now.fine": ([processes]) =>
      `本体の${processes ?? ""}個のプロセスは、どれもほかの機械とつながっていません。`,
    "connections_now.look": () => "いま、ほかの機械とつながっています。",
    "settings.broken": () =>
      "settings.tomlに誤りがあり、そこは初期値を使っています。`lpm doctor` が行を挙げます。",
    "backups.broken": ([missing]) =>
      `いちばん新しい控えは、その前の控えより資料が${missing ?? ""}件少なく、消した記録がありません。`,
    "aside.look": ([some]) =>
      `どの資料のものでもない原本${some ?? ""}件をよけてあります。一か月でなくなります。`,
    "audit_note.look": () => "できごとの覚え（audit.json）が壊れています。",
    "folder_private.fine": () => "開けるのは本人だけです。",
    "folder_private.broken": () => "この機械のほかの人も開けます。",
    "peer_keys.fine": () => "合言葉で守られています。",
    "peer_keys.look": () =>
      "合言葉で守られていません。フォルダーのkeysを写した人は、あなたとして話せます。",
    "other_nodes.fine": ([some]) =>
      some ? "連絡先から届きます。" : "ほかの本体を待ち受けていません。",
    "other_nodes.look": () => "連絡先からは、いま届きません。",
    "other_nodes.broken": () => "ほかの本体と話すものが入っていません。",
    "index.fine": ([documents, passages]) =>
      `資料${documents ?? 0}件、文章${passages ?? 0}件、すべて索引にあります。`,
    "index.look": ([missing, all]) =>
      `資料${all ?? ""}件のうち${missing ?? ""}件が索引にありません。`,
    "worker.fine": () => "動いています。",
    "worker.look": () => "動いていないため、新しいものを読めません。",
    "disk.fine": ([free]) => `空きは${free ?? ""} GBです。`,
    "disk.look": ([free]) => `空きが${free ?? ""} GBしかありません。`,
    "workspace.look": () =>
      "ワークスペースに、読まずに残してあるファイルがあります。`lpm doctor` が名前と理由を挙げます。",
    "plug_ins.fine": () => "tesseractが画像の文字を読みます。",
    "front_end.fine": () => "できています。",
    "front_end.broken": () => "まだ作られていません。",
  },
  problems: {
    "not-found": {
      title: "見つかりません",
      detail: "消したのかもしれません。",
      hint: "一覧に戻って選び直してください。",
    },
    "not-usable": {
      title: "このままでは使えません",
      detail: "受け取った内容に合わないところがあります。",
      hint: "入力を見直してください。",
    },
    unreadable: {
      title: "読めませんでした",
      detail: "ファイルが壊れているか、別の形式のようです。",
      hint: "PDFか、UTF-8のテキストで保存し直して加えてください。",
    },
    "unsupported-file": {
      title: "この種類のファイルはまだ読めません",
      detail:
        "テキスト、マークダウン、PDF、Word、ウェブページ、表、メール、会話の記録、画像、録音、それらのzipを受け取ります。",
      hint: "そのどれかで保存し直して加えてください。",
    },
    empty: {
      title: "中身がありません",
      detail: "文字が見つかりませんでした。",
      hint: "読み取り画像なら、先に文字認識にかけてください。",
    },
    "too-large": {
      title: "大きすぎます",
      detail: "一つのファイルの上限を超えています。",
      hint: "分けて加えてください。",
    },
    "request-too-large": {
      title: "大きすぎます",
      detail: "一度に送れる量を超えています。",
      hint: "分けて送ってください。",
    },
    "strange-cursor": {
      title: "続きを読めません",
      detail: "一覧のしおりが合いません。",
      hint: "一覧をはじめから開いてください。",
    },
    "prompt-too-long": {
      title: "一度に読める量を超えています",
      detail: "モデルに渡せる長さを超えました。",
      hint: "質問を短くするか、分けてください。",
    },
    conflict: {
      title: "妨げるものがあります",
      detail: "ほかの作業とぶつかりました。",
      hint: "少し待って、もう一度試してください。",
    },
    "training-failed": {
      title: "学習が止まりました",
      detail: "学んだところまでは残っています。",
      hint: "続きから学べます。メモリーが足りないときは、「一度に読む行」を小さくしてください。",
    },
    "not-enough-memory": {
      title: "メモリーが足りません",
      detail: "空いているメモリーに収まりません。",
      hint: "ほかのプログラムを終えるか、「一度に読む行」や「ランク」を小さくしてください。",
    },
    unavailable: {
      title: "いまは使えません",
      detail: "本体の一部が応答していません。",
      hint: "設定の点検をご覧ください。",
    },
    "model-unavailable": {
      title: "モデルが応答していません",
      detail: "記憶は無事で、探すこともできます。",
      hint: "設定の「モデル」で別のものを選べます。",
    },
    "embedder-unavailable": {
      title: "意味を読めません",
      detail: "言葉だけで探します。",
      hint: "設定の点検をご覧ください。",
    },
    "reader-unavailable": {
      title: "読み取りのモデルが応答していません",
      detail: "言葉と意味の近さで引用を選びます。",
      hint: "設定の点検をご覧ください。",
    },
    "corrupt-home": {
      title: "フォルダーの修復が要ります",
      detail: "本体のフォルダーに不整合があります。",
      hint: "端末で lpm doctor を実行してください。",
    },
    inside: {
      title: "本体の中で不具合が起きました",
      detail: "失われたものはありません。",
      hint: "もう一度試してください。続くようなら lpm doctor を実行してください。",
    },
    "not-as-described": {
      title: "入力に誤りがあります",
      detail: "受け付けられない項目があります。",
      hint: "入力を見直してください。",
    },
    "not-in-scope": {
      title: "このキーではできません",
      detail: "キーは正しいのですが、許された範囲の外です。",
      hint: "設定で、範囲の広いキーを作ってください。",
    },
    "consent-needed": {
      title: "承諾が要ります",
      detail: "あなたのものが外へ出るか、見知らぬ人のものが入ります。まだ何もしていません。",
      hint: "よければ、承諾の欄に印を付けてください。",
    },
    "unusable-download": {
      title: "このファイルは使えません",
      detail: "受け取れるGGUFファイルではないか、アドレスに問題があります。",
      hint: "アドレスを見直すか、別のものを選んでください。",
    },
    "expired-token": {
      title: "この確認は使えません",
      detail: "時間が経ったか、正しくありません。何も消えていません。",
      hint: "もう一度、消えるものを確かめるところから始めてください。",
    },
    "unusable-archive": {
      title: "このまとめは使えません",
      detail: "何も取り込んでいません。",
      hint: "書き出したままのzipを選んでください。",
    },
    "did-not-work": {
      title: "うまくいきませんでした",
      detail: "何も変わっていません。",
      hint: "もう一度試してください。",
    },
  },
};
