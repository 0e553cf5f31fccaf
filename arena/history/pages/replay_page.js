"use strict";
// Shows one step at a time; the address, the slider, the list of moves and the curves are updated with it.
(() => {
  const find = (id) => document.getElementById(id);
  const steps = [...document.querySelectorAll(".step")];
  const links = [...document.querySelectorAll(".moves a")];
  const marks = [...document.querySelectorAll(".now")];
  const [slider, where, speed, status] = ["at", "where", "speed", "status"].map(find);
  const last = steps.length - 1;
  const opens = Number(slider.defaultValue);
  const mistakes = [...links.keys()].filter((number) => links[number].querySelector(".mark"));
  let at = -1;
  let playing = 0;

  const wantedPly = () => {
    const found = /^#ply-(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : opens;
  };

  const show = (wanted) => {
    const next = Math.min(Math.max(wanted, 0), last);
    if (next === at) return;
    const isOpening = at < 0;
    at = next;
    steps.forEach((step, number) => { step.hidden = number !== at; });
    links.forEach((link, number) => {
      if (number === at) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    const list = links[at].closest("ol");
    const top = links[at].offsetTop;
    if (top < list.scrollTop || top + links[at].offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
    for (const mark of marks) {
      const from = Number(mark.dataset.from);
      const x = from + ((Number(mark.dataset.to) - from) * at) / Math.max(last, 1);
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
    }
    slider.value = at;
    where.textContent = `${at} of ${last}`;
    slider.setAttribute("aria-valuetext", links[at].textContent);
    const mistake = [...steps[at].querySelectorAll(".mistake")].map((line) => line.textContent);
    const clocks = [...steps[at].querySelectorAll(".clock")].map((clock) => clock.textContent);
    const ended = at === last ? [...steps[at].querySelectorAll(".verdict")].map((line) => line.textContent) : [];
    status.textContent = [links[at].textContent, ...mistake, ...clocks, ...ended].join(". ");
    try {
      // Not while the page opens, because the browser would then scroll to that step.
      if (!isOpening) history.replaceState(null, "", `#ply-${at}`);
    } catch {
      // Some browsers do not allow a local file to change its address.
    }
    if (at === last) stop();
  };

  const label = (words) => {
    find("play").textContent = words;
    find("play").setAttribute("aria-label", words);
  };
  const stop = () => {
    clearInterval(playing);
    playing = 0;
    label("play");
  };
  const start = () => {
    if (at === last) show(0);
    if (at === last) return;
    clearInterval(playing);
    playing = setInterval(() => show(at + 1), 1000 / Number(speed.value));
    label("stop");
  };
  const go = (wanted) => { stop(); show(wanted); };
  const actions = {
    first: () => go(0),
    back: () => go(at - 1),
    next: () => go(at + 1),
    last: () => go(last),
    play: () => (playing ? stop() : start()),
    // After the last mistake the first one comes again.
    mistake: () => go(mistakes.find((number) => number > at) ?? mistakes[0] ?? at),
    earlier: () => go(mistakes.findLast((number) => number < at) ?? mistakes.at(-1) ?? at),
  };
  const keys = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "next", " ": "play", m: "mistake", M: "earlier" };

  for (const [id, action] of Object.entries(actions)) find(id)?.addEventListener("click", action);
  slider.addEventListener("input", () => go(Number(slider.value)));
  speed.addEventListener("change", () => { if (playing) start(); });
  links.forEach((link, number) => link.addEventListener("click", (event) => { event.preventDefault(); go(number); }));
  for (const mark of marks) {
    const picture = mark.ownerSVGElement;
    picture.addEventListener("click", (event) => {
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()).x;
      const from = Number(mark.dataset.from);
      go(Math.round(((x - from) / (Number(mark.dataset.to) - from)) * last));
      steps[at].scrollIntoView({ block: "nearest" });
    });
  }
  addEventListener("hashchange", () => go(wantedPly()));
  addEventListener("load", () => scrollTo(0, 0));
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key !== "M")) return;
    // The focused element uses some of these keys itself.
    const own = event.target.closest("input, select, pre, .wide") || (event.key === " " && event.target.closest("a, button"));
    const action = own ? undefined : keys[event.key];
    if (!action) return;
    event.preventDefault();
    actions[action]();
  });

  document.body.classList.add("interactive");
  find("controls").hidden = false;
  stop();
  show(wantedPly());
})();
