// The TV page: game after game. The key f fills the screen; the screen stays on while the page is seen.
import { on } from "./page.js";
import { show } from "./live.js";

const link = document.getElementById("game");

on("screen-0", ({ game, parts }) => {
  document.getElementById("playing").hidden = game === null;
  document.getElementById("waiting").hidden = game !== null;
  document.getElementById("moves").closest("section").hidden = game === null;
  if (game !== null) link.href = `/g/${game}`;
  show(parts);
});

const stayOn = async () => {
  try {
    if (!document.hidden) await navigator.wakeLock?.request("screen");
  } catch {
    // The browser does not allow it, for example on battery.
  }
};
document.addEventListener("visibilitychange", stayOn);
stayOn();

addEventListener("keydown", (event) => {
  if (event.key !== "f" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
});
