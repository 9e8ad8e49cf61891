/**
 * What the node itself says in English, in Japanese: checks by `id.state`, problems by the last
 * part of their type. What is not here is shown word for word.
 */
import type { Text } from "./en";

export const nodeJa: Pick<Text, "checks" | "problems"> = {
  checks: {
    "listens_only_here.fine": ([host, ...contacts]) =>
      `画面とAPIは${host ?? "このパソコン"}からのみ使えます。${contacts.length === 0 ? "" : "連絡先は、ほかのコンピューターからも接続できます。"}`,
    "listens_only_here.look": ([host, outside]) =>
      outside === "127.0.0.1"
        ? `コンテナーの中で、画面とAPIが${host ?? ""}で待ち受けています。公開したポートに接続できる人は、ここにも接続できます。127.0.0.1だけに公開してください。`
        : `画面とAPIが${host ?? ""}で待ち受けていて、ほかのコンピューターからも接続できます。`,
    "model_on_disk.fine": () => "ディスクにあり、使えます。",
    "model_on_disk.look": () => "起動しています。",
    "model_on_disk.broken": () => "応答していません。",
    "model_endpoint.fine": () => "接続先が答えています。",
    "model_endpoint.broken": () => "接続先が応答していません。",
    "embedder.fine": () => "動いています。",
    "embedder.look": () => "起動しています。",
    "embedder.broken": () => "動いていません。キーワードだけで検索します。",
    "reader.fine": () => "動いています。",
    "reader.look": () => "起動しています。",
    "reader.broken": () => "動いていません。言葉と意味の近さで引用を選びます。",
    "connections_outward.fine": () => "ありません。",
    "connections_outward.look": ([size, answers]) =>
      `外部に${size ?? ""} kBを送りました。うち連絡先への答えは${answers ?? "0"}件です。`,
    "connections_now.fine": ([processes]) =>
      `ノードの${processes ?? ""}個のプロセスは、どれもほかのコンピューターと通信していません。`,
    "connections_now.look": () => "現在、ほかのコンピューターと通信しています。",
    "settings.broken": () =>
      "settings.tomlに誤りがあり、その項目は既定値を使っています。`lpm doctor` で行を確認できます。",
    "backups.broken": ([missing]) =>
      `いちばん新しいバックアップは、その前のバックアップより資料が${missing ?? ""}件少なく、削除の記録がありません。`,
    "aside.look": ([some]) =>
      `どの資料にも属さない原本${some ?? ""}件を除外しました。一か月後に削除されます。`,
    "audit_note.look": () => "アクティビティの記録（audit.json）が壊れています。",
    "folder_private.fine": () => "開けるのは本人だけです。",
    "folder_private.broken": () => "このパソコンのほかの人も開けます。",
    "peer_keys.fine": () => "パスフレーズで守られています。",
    "peer_keys.look": () =>
      "パスフレーズで守られていません。keysフォルダーをコピーした人は、あなたになりすませます。",
    "other_nodes.fine": ([some]) =>
      some ? "連絡先から接続できます。" : "ほかのノードからの接続は受け付けていません。",
    "other_nodes.look": () => "連絡先は、現在接続できません。",
    "other_nodes.broken": () => "ほかのノードと通信する部品がインストールされていません。",
    "index.fine": ([documents, passages]) =>
      `資料${documents ?? 0}件、文章${passages ?? 0}件、すべて索引にあります。`,
    "index.look": ([missing, all]) =>
      `資料${all ?? ""}件のうち${missing ?? ""}件が索引にありません。`,
    "worker.fine": () => "動いています。",
    "worker.look": () => "動いていないため、新しいものを読めません。",
    "disk.fine": ([free]) => `空きは${free ?? ""} GBです。`,
    "disk.look": ([free]) => `空きが${free ?? ""} GBしかありません。`,
    "workspace.look": () =>
      "ワークスペースに読まなかったファイルがあります。`lpm doctor` で名前と理由を確認できます。",
    "tables.look": ([open]) =>
      `オフのため、進行中の円卓${open ?? ""}件が止まり、相手が待っています。`,
    "plug_ins.fine": () => "tesseractが画像の文字を読みます。",
    "front_end.fine": () => "ビルド済みです。",
    "front_end.broken": () => "まだビルドされていません。",
  },
  problems: {
    "not-found": {
      title: "見つかりません",
      detail: "削除された可能性があります。",
      hint: "一覧に戻って選び直してください。",
    },
    "not-usable": {
      title: "このままでは使えません",
      detail: "内容に合わないところがあります。",
      hint: "入力を確認してください。",
    },
    unreadable: {
      title: "読めませんでした",
      detail: "ファイルが壊れているか、別の形式のようです。",
      hint: "PDFか、UTF-8のテキストで保存し直して追加してください。",
    },
    "unsupported-file": {
      title: "この種類のファイルはまだ読めません",
      detail:
        "テキスト、マークダウン、PDF、Word、ウェブページ、表、メール、会話の記録、画像、録音、それらのzipを受け取ります。",
      hint: "そのどれかで保存し直して追加してください。",
    },
    empty: {
      title: "中身がありません",
      detail: "文字が見つかりませんでした。",
      hint: "スキャン画像の場合は、先に文字認識（OCR）をしてください。",
    },
    "too-large": {
      title: "大きすぎます",
      detail: "一つのファイルの上限を超えています。",
      hint: "分けて追加してください。",
    },
    "request-too-large": {
      title: "大きすぎます",
      detail: "一度に送れる量を超えています。",
      hint: "分けて送ってください。",
    },
    "strange-cursor": {
      title: "続きを表示できません",
      detail: "一覧の位置の情報が正しくありません。",
      hint: "一覧を最初から開いてください。",
    },
    "prompt-too-long": {
      title: "一度に読める量を超えています",
      detail: "モデルに渡せる長さを超えました。",
      hint: "質問を短くするか、分けてください。",
    },
    conflict: {
      title: "いまはできません",
      detail: "ほかの作業とぶつかりました。",
      hint: "少し待って、もう一度試してください。",
    },
    "training-failed": {
      title: "学習が止まりました",
      detail: "学んだところまでは残っています。",
      hint: "続きから再開できます。メモリーが足りないときは、「一度に読む行」を小さくしてください。",
    },
    "not-enough-memory": {
      title: "メモリーが足りません",
      detail: "空いているメモリーに収まりません。",
      hint: "ほかのプログラムを終了するか、「一度に読む行」や「ランク」を小さくしてください。",
    },
    unavailable: {
      title: "いまは使えません",
      detail: "ノードの一部が応答していません。",
      hint: "設定の「ノードの状態」を確認してください。",
    },
    "model-unavailable": {
      title: "モデルが応答していません",
      detail: "記憶は無事で、検索もできます。",
      hint: "設定の「モデル」で別のものを選べます。",
    },
    "embedder-unavailable": {
      title: "意味検索を使えません",
      detail: "キーワードだけで検索します。",
      hint: "設定の「ノードの状態」を確認してください。",
    },
    "reader-unavailable": {
      title: "読み取りモデルが応答していません",
      detail: "言葉と意味の近さで引用を選びます。",
      hint: "設定の「ノードの状態」を確認してください。",
    },
    sealed: {
      title: "ホームはロックされています",
      detail: "ホームはパスフレーズでロックされています。",
      hint: "画面で、または lpm lock open で解除してください。",
    },
    "unlock-first": {
      title: "ホームはロックされています",
      detail: "ホームはパスフレーズでロックされています。",
      hint: "画面で、または lpm lock open で解除してください。",
    },
    "wrong-passphrase": {
      title: "パスフレーズが違います",
      detail: "このホームのパスフレーズではありません。ロックそのものは壊れていません。",
      hint: "大文字と小文字、キーボードの言語を確かめて、もう一度入力してください。パスフレーズがなければ誰にも開けません。",
    },
    "damaged-lock": {
      title: "ロックされたホームが壊れています",
      detail:
        "パスフレーズに関わらず、暗号化されたもの、またはロックの一部を読めません。変更されたものはありません。",
      hint: "ホームの写しから lock フォルダーを戻すか、lpm lock open --partly で残りを開いてください。",
    },
    "corrupt-home": {
      title: "ホームの修復が必要です",
      detail: "ホームに不整合があります。",
      hint: "ターミナルで lpm doctor を実行してください。",
    },
    inside: {
      title: "ノードの内部で問題が起きました",
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
      detail: "キーは有効ですが、許可された範囲の外です。",
      hint: "設定で、必要な範囲のキーを作ってください。",
    },
    "consent-needed": {
      title: "承諾が必要です",
      detail: "あなたのものが外部に送られるか、見知らぬ人のものが入ります。まだ何もしていません。",
      hint: "よければ、承諾の欄にチェックを入れてください。",
    },
    "unusable-download": {
      title: "このファイルは使えません",
      detail: "使えるGGUFファイルではないか、アドレスに問題があります。",
      hint: "アドレスを確認するか、別のものを選んでください。",
    },
    "expired-token": {
      title: "この確認は使えません",
      detail: "期限切れか、正しくありません。何も消去されていません。",
      hint: "消去されるものの確認からやり直してください。",
    },
    "unusable-archive": {
      title: "このアーカイブは使えません",
      detail: "何も取り込んでいません。",
      hint: "書き出したままのzipを選んでください。",
    },
    "did-not-work": {
      title: "失敗しました",
      detail: "何も変わっていません。",
      hint: "もう一度試してください。",
    },
  },
};
