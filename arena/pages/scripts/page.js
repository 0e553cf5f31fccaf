// The stream of a page: events from the server, the server's time, and parts that are read again when there is news.
// A page has one stream. It is closed while the page is hidden, because a browser opens only six to one server.
const main = document.querySelector("main[data-stream]");
const paused = document.getElementById("paused");
const SILENT = 25000; // milliseconds; the server sends something every ten seconds
const handlers = new Map();
let source = null;
let heard = 0;
let retry = 0;
let ahead = null;

// Calls `handler` with the data of each event of this kind.
export const on = (kind, handler) => { handlers.set(kind, handler); };

// The server's clock in milliseconds; null before its first event. The event with the least delay sets it.
export const serverNow = () => (ahead === null ? null : performance.now() + ahead);

export const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

const say = (text) => { if (paused && paused.textContent !== text) paused.textContent = text; };

const take = (event) => {
  const { now, data } = JSON.parse(event.data);
  heard = performance.now();
  ahead = ahead === null ? now - heard : Math.max(ahead, now - heard);
  say("");
  handlers.get(event.type)?.(data);
};

const close = () => {
  clearTimeout(retry);
  source?.close();
  source = null;
};

const lose = () => {
  say("Paused: no connection to the server. The page goes on by itself.");
  // After an answer that is not a stream, such as that of a proxy, the browser does not try again by itself.
  if (source?.readyState === EventSource.CLOSED) {
    close();
    retry = setTimeout(open, 2000 + 2000 * Math.random());
  }
};

const open = () => {
  close();
  heard = performance.now();
  source = new EventSource(main.dataset.stream);
  source.addEventListener("open", () => { ahead = null; });
  source.addEventListener("error", lose);
  for (const kind of ["alive", ...handlers.keys()]) source.addEventListener(kind, take);
};

const watch = () => {
  if (source === null || performance.now() - heard < SILENT) return;
  lose();
  open();
};

// Reads the page again, and replaces the parts that can change.
const read = async () => {
  const answer = await fetch(location.href, { cache: "no-cache", headers: { "cache-control": "no-cache" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.getElementById(part.id);
    if (fresh === null || fresh.isEqualNode(part)) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    part.replaceWith(document.adoptNode(fresh));
    if (focused !== null) [...fresh.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
  }
  dispatchEvent(new Event("drawn"));
};

let hasNews = false;
let isReading = false;
const refresh = async () => {
  hasNews = true;
  if (isReading) return;
  isReading = true;
  while (hasNews) {
    await wait(1000 + 1000 * Math.random()); // not all pages at once, and not what was being drawn before the news
    hasNews = false;
    try {
      await read();
    } catch {
      // No connection: the stream says so, and there will be other news.
    }
  }
  isReading = false;
};
on("news", refresh);

if (main !== null) {
  // After the modules of the page, which call `on`.
  addEventListener("DOMContentLoaded", () => { if (!document.hidden) open(); });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    refresh(); // news that came while it was hidden
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  setInterval(watch, 5000);
}
