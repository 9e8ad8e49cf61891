/**
 * Words of the glossary that stand on no tab and on no heading, in both languages, by the place
 * that they lead to.
 */
export const GLOSSARY: Readonly<Record<string, string>> = {
  chat: "second self 分身 conversation 会話 question 質問",
  memory: "fact 事実 experience 経験 summary まとめ keep 残す correct 直す forget 忘れる",
  "memory today": "suggestion 提案 reflection 振り返り",
  "memory review": "suggestion 提案 dismiss 見送る",
  "memory profile": "topic 話題 person 人 count 回数",
  "memory files": "version 版 workspace note メモ",
  library: "document 資料 original 原本 tag タグ folder フォルダー private 非公開 diary 日記",
  search: "passage 文章 source 根拠 find 探す",
  table: "discussion 話し合い turn 発言 round 巡 debate 討論 members 参加者",
  "people contacts": "contact 連絡先 invite 招待 passphrase パスフレーズ identity ID 鍵",
  "people grants": "grant 許可 give 与える revoke 取り消す permission",
  "people offers": "offer 提供 fetch 受け取る withdraw 取り下げ",
  "people inbox": "request 要求",
  "people network": "relay 中継",
  training: "base model 元のモデル",
  "training inside": "rows 行 pair 組",
  "training scorecard": "style distance 文体からの距離",
  model: "language model 言語モデル reading model 読み取りモデル",
  thinking: "thinking model 考えるモデル",
  meaning: "embedder 埋め込みモデル search by meaning 意味検索",
  keys: "key キー API",
  data: "archive アーカイブ export 書き出し import 取り込み backup バックアップ restore 復元",
  activity: "job 作業",
  health: "node ノード home ホーム doctor 点検",
  erase: "delete 削除 erase 消去",
  exposure: "sent out 外部送信",
};
