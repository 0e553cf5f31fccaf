// A game in progress: the server draws the parts, this script shows them and runs the clocks.
import { put } from "./board.js";
import { on, serverNow, wait } from "./page.js";
import { elements, whole } from "./parts.js";

const SPOKEN_EVERY = 2000; // milliseconds: a fast game must not drown a screen reader
const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const status = document.getElementById("status");
const shown = new Map();
let spoken = 0;
let seen = 0; // times that there was another board

const speak = () => {
  spoken = 0;
  const text = document.getElementById("last").textContent;
  if (status.textContent !== text) status.textContent = text;
};

const listed = () => document.querySelectorAll("#moves .move").length;
const begun = listed();

// Shows markup from the server in the elements with these ids; returns the ids of those that changed.
export const show = (parts) => {
  const changed = new Set();
  for (const [id, sent] of Object.entries(parts)) {
    const part = document.getElementById(id);
    const markup = whole(shown.get(id), sent);
    if (part === null || shown.get(id) === markup) continue;
    const isAtEnd = part.scrollHeight - part.scrollTop - part.clientHeight < 40;
    if (id === "board") seen += shown.has(id);
    shown.set(id, markup);
    changed.add(id);
    if (id === "board") put(part, elements(markup));
    else part.innerHTML = markup;
    if (markup.includes("<time")) dispatchEvent(new Event("drawn"));
    if (isAtEnd) part.scrollTop = part.scrollHeight;
  }
  if (spoken === 0) spoken = setTimeout(speak, SPOKEN_EVERY);
  run();
  return changed;
};

const written = (left) => {
  const two = (number) => String(number).padStart(2, "0");
  const seconds = Math.floor(left / 1000), minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
  const tenths = seconds < 10 && !isCalm ? `.${Math.floor(left / 100) % 10}` : "";
  return `${minutes}:${two(seconds % 60)}${tenths}`;
};

// The clock of the player to move runs from the instant, on the server's clock, at which the turn began.
const run = () => {
  const now = serverNow();
  if (now === null) return;
  for (const clock of document.querySelectorAll("[data-since]")) {
    const { left, since, least = 0 } = clock.dataset;
    clock.textContent = written(Math.max(Number(least), Number(left) - Math.max(0, now - Number(since))));
  }
};

// The game is over: its address shows the replay now. It opens at the end of the game, unless that was too fast to be
// watched from its beginning: then it is played there. Of a game that was seen, fewer boards than moves can have come.
const replay = async () => {
  for (;;) {
    await wait(1500 + 1500 * Math.random());
    try {
      if (!(await fetch(location.href, { method: "HEAD", cache: "no-cache" })).ok) continue;
      const isUnseen = begun === 0 && (seen === 0 || seen < listed() / 4);
      history.replaceState(null, "", isUnseen ? location.pathname : "#ply-last");
      return location.reload();
    } catch {
      // No connection: it is tried again.
    }
  }
};

on("parts", show);
on("over", replay);
document.querySelector("ol#moves")?.scrollTo(0, 1e6);
setInterval(run, isCalm ? 1000 : 100);
