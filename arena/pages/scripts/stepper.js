// The controls of a page with steps 0 to `last`: buttons, slider, speed, keys, and the address (#name-12, #name-last).
// `show(at)` shows a step, and returns its title and what a screen reader says; `beside(at, by)` is the next step (by 1)
// or the one before (by -1).
export const find = (id) => document.getElementById(id);

export const stepper = ({ last, name, show, beside = (at, by) => at + by, actions: more = {}, keys: moreKeys = {} }) => {
  const [slider, where, speed, status] = ["at", "where", "speed", "status"].map(find);
  const opens = Number(slider.defaultValue);
  const address = new RegExp(`^#${name}-(\\d+|last)$`);
  let at = -1;
  let playing = 0;

  const wantedStep = () => {
    const found = address.exec(location.hash);
    if (found?.[1] === "last") return last;
    return found ? Number(found[1]) : opens;
  };
  const label = (words) => {
    find("play").classList.toggle("playing", words === "stop");
    find("play").setAttribute("aria-label", words);
  };
  // Not while the page opens, because the browser would then scroll to that step; not at each step while it plays, because
  // that takes a browser as long as all the rest of the script.
  const writeAddress = () => {
    try {
      history.replaceState(null, "", `#${name}-${at}`);
    } catch {
      // Some browsers do not allow a local file to change its address.
    }
  };
  const stop = () => {
    if (!playing) return;
    writeAddress();
    clearInterval(playing);
    playing = 0;
    label("play");
  };
  const move = (wanted) => {
    const next = Math.min(Math.max(wanted, 0), last);
    if (next === at) return;
    const isOpening = at < 0;
    at = next;
    const { title, says } = show(at);
    slider.value = at;
    where.textContent = `${at} of ${last}`;
    slider.setAttribute("aria-valuetext", title);
    status.textContent = says;
    if (!isOpening && !playing) writeAddress();
    if (at === last) stop();
  };
  const start = () => {
    if (at === last) move(0);
    if (at === last) return;
    clearInterval(playing);
    playing = setInterval(() => move(beside(at, 1)), 1000 / Number(speed.value));
    label("stop");
  };
  const go = (wanted) => { stop(); move(wanted); };
  const actions = {
    first: () => go(0),
    back: () => go(beside(at, -1)),
    next: () => go(beside(at, 1)),
    last: () => go(last),
    play: () => (playing ? stop() : start()),
  };
  for (const [id, target] of Object.entries(more)) actions[id] = () => go(target(at));
  const keys = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "next", " ": "play", ...moreKeys };

  for (const [id, action] of Object.entries(actions)) find(id)?.addEventListener("click", action);
  slider.addEventListener("input", () => go(Number(slider.value)));
  speed.addEventListener("change", () => { if (playing) start(); });
  addEventListener("hashchange", () => go(wantedStep()));
  addEventListener("load", () => { if (location.hash) scrollTo(0, 0); });
  // A box that was clicked has the focus, but only one that was reached with Tab needs the keys to scroll.
  let clicked = false;
  addEventListener("pointerdown", () => { clicked = true; }, true);
  addEventListener("keydown", (event) => {
    if (event.key === "Tab") clicked = false;
    const isCapital = /^[A-Z]$/.test(event.key);
    if (event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && !isCapital)) return;
    // The focused element uses some of these keys itself.
    const own =
      event.target.closest(clicked ? "input:not([type=radio]), select" : "input, select") ||
      (!clicked && !(event.key in moreKeys) && event.target.closest("pre, .wide")) ||
      (event.key === " " && event.target.closest(clicked ? "button" : "a, button"));
    const action = own ? undefined : keys[event.key];
    if (!action) return;
    event.preventDefault();
    actions[action]();
  });

  document.body.classList.add("interactive");
  find("controls").hidden = false;
  stop();
  move(wantedStep());
  // A game is there to be watched, but not by who wants nothing to move, or has come for one step.
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if ("plays" in find("controls").dataset && !location.hash && !isCalm && last > 0) start();
  return go;
};

// Marks the current entry of a list, and scrolls the list so that it is visible. To be called before a page changes: where
// the entry is can be asked then without another layout.
export const markCurrent = (entries, at, box) => {
  const entry = entries[at].getBoundingClientRect();
  const list = box.getBoundingClientRect();
  const head = 40; // above the first entry of a table
  // Without the height of a scroll bar.
  if (entry.top < list.top + head || entry.bottom > list.top + box.clientTop + box.clientHeight) {
    box.scrollTop += entry.top - list.top - box.clientHeight / 2;
  }
  box.querySelector("[aria-current]")?.removeAttribute("aria-current");
  entries[at].setAttribute("aria-current", "step");
};
