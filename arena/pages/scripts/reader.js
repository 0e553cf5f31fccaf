// What a page has for its reader: light or dark as the system is, until the reader chooses; times in the reader's zone,
// also of what comes later (an event "drawn");
// the rows of the own agents; and the key / for the search. The choice and the agents' names are kept in the browser.
(() => {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const kept = (change) => { try { return change(localStorage); } catch { return null; } }; // not allowed in some files
  const chosen = kept((store) => store.getItem("theme"));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  // Past times of a day are told by their age. A time to come is a deadline: it keeps the course's zone, and counts down
  // the last hundred days.
  const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const rough = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
  const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const tell = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const when = new Date(time.dateTime);
      const seconds = (when - Date.now()) / 1000;
      const [unit, length] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? UNITS.at(-1);
      const apart = rough.format(Math.trunc(seconds / length), unit);
      time.title ||= `${exact.format(when)} (your time); ${time.textContent}`;
      time.dataset.written ??= time.textContent;
      const deadline = seconds < 8640000 ? `${time.dataset.written}, ${apart}` : time.dataset.written;
      const text = seconds > 0 ? deadline : seconds > -86400 ? apart : exact.format(when);
      if (time.textContent !== text) time.textContent = text;
    }
    const own = kept((store) => JSON.parse(store.getItem("own") ?? "[]")) ?? [];
    for (const name of document.querySelectorAll("tbody th.name > a")) {
      name.closest("tr").classList.toggle("own", own.includes(name.textContent));
    }
  };
  addEventListener("DOMContentLoaded", () => {
    const mine = document.querySelector("[data-owns]");
    if (mine) kept((store) => store.setItem("own", JSON.stringify(mine.dataset.owns.split("\n").filter(Boolean))));
    tell();
    const current = document.querySelector(".top .tabs [aria-current]");
    if (current) current.closest("ul").scrollLeft = current.offsetLeft - current.closest("ul").offsetLeft;
    setInterval(tell, 5000);
    addEventListener("drawn", tell);
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept((store) => store.setItem("theme", root.dataset.theme));
    });
  });
  addEventListener("keydown", (event) => {
    const field = document.querySelector(".find input");
    if (event.key !== "/" || !field || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    field.focus();
  });
})();
