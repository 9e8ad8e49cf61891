// Says that the node is not answering where the browser would show a page of its own. Keeps nothing: every page and every answer comes
// from the node itself, and only a page that could not be fetched at all gets this face. It asks again every few seconds.
const FACE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Second Me</title><style>
:root{color-scheme:light dark;--paper:#fbf8f2;--spine:#f4efe5;--ink:#25211a;--ink-2:#575043;--line:#e4dccc}
@media(prefers-color-scheme:dark){:root{--paper:#181611;--spine:#12110d;--ink:#ece6da;--ink-2:#bdb4a3;--line:#2e2a22}}
body{margin:0;min-height:100dvh;display:grid;place-items:center;background:var(--spine);color:var(--ink);font:400 1rem/1.6 "Instrument Sans Variable","Zen Kaku Gothic New","Hiragino Sans","Noto Sans CJK JP",system-ui,sans-serif}
main{width:min(560px,calc(100% - 32px));box-sizing:border-box;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:40px}
h1,h2{font-weight:500;font-size:1.5rem;line-height:1.35;margin:0 0 10px}p{margin:0 0 6px;color:var(--ink-2)}section+section{border-top:1px solid var(--line);margin-top:26px;padding-top:26px}
code{font:400 .9em/1.6 "Commit Mono",ui-monospace,monospace}</style></head><body><main>
<section><h1>The node is not responding.</h1><p>Your memories are safe on disk.</p><p>Start it again with <code>lpm start</code>. This page comes back by itself.</p></section>
<section lang="ja"><h2>ノードが応答していません。</h2><p>記憶はディスクに無事に残っています。</p><p><code>lpm start</code> で起動できます。つながると、このページに自動で戻ります。</p></section>
</main><script>setInterval(() => fetch("/healthz").then((answer) => answer.ok && location.reload(), () => undefined), 3000)</script></body></html>`;

// What a page sends while it goes away is lost on its way through here, so it takes another.
self.addEventListener("install", (event) => {
  event.waitUntil(Promise.resolve(event.addRoutes?.({ condition: { requestMethod: "POST" }, source: "network" })).catch(() => undefined));
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(fetch(event.request).catch(() => new Response(FACE, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } })));
});
