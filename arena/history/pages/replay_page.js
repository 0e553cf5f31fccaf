"use strict";
// One step is shown at a time; the address, the slider, the list of moves and the curves follow.
(() => {
  const find = (id) => document.getElementById(id);
  const steps = [...document.querySelectorAll(".step")];
  const ways = [...document.querySelectorAll(".moves a")];
  const marks = [...document.querySelectorAll(".now")];
  const [slider, where, speed, told] = ["at", "where", "speed", "told"].map(find);
  const last = steps.length - 1;
  let at = -1;
  let playing = 0;

  const asked = () => {
    const found = /^#ply-(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : 0;
  };

  const show = (wanted) => {
    const next = Math.min(Math.max(wanted, 0), last);
    if (next === at) return;
    const opened = at < 0;
    at = next;
    steps.forEach((step, number) => { step.hidden = number !== at; });
    ways.forEach((way, number) => {
      if (number === at) way.setAttribute("aria-current", "step");
      else way.removeAttribute("aria-current");
    });
    const list = ways[at].closest("ol");
    const top = ways[at].offsetTop;
    if (top < list.scrollTop || top + ways[at].offsetHeight > list.scrollTop + list.clientHeight) {
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
    slider.setAttribute("aria-valuetext", ways[at].textContent);
    const clocks = [...steps[at].querySelectorAll(".clock")].map((clock) => clock.textContent);
    const ended = at === last ? [...steps[at].querySelectorAll(".verdict")].map((line) => line.textContent) : [];
    told.textContent = [ways[at].textContent, ...clocks, ...ended].join(". ");
    try {
      // Not while the page is opened: it would be scrolled to that step.
      if (!opened) history.replaceState(null, "", `#ply-${at}`);
    } catch {
      // Some browsers do not let a file change its address.
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
  const deeds = {
    first: () => go(0),
    back: () => go(at - 1),
    next: () => go(at + 1),
    last: () => go(last),
    play: () => (playing ? stop() : start()),
  };
  const keys = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "next", " ": "play" };

  for (const [id, deed] of Object.entries(deeds)) find(id).addEventListener("click", deed);
  slider.addEventListener("input", () => go(Number(slider.value)));
  speed.addEventListener("change", () => { if (playing) start(); });
  ways.forEach((way, number) => way.addEventListener("click", (event) => { event.preventDefault(); go(number); }));
  for (const mark of marks) {
    const picture = mark.ownerSVGElement;
    picture.addEventListener("click", (event) => {
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()).x;
      const from = Number(mark.dataset.from);
      go(Math.round(((x - from) / (Number(mark.dataset.to) - from)) * last));
    });
  }
  addEventListener("hashchange", () => go(asked()));
  addEventListener("load", () => scrollTo(0, 0));
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // What has the focus knows some of these keys itself.
    const own = event.target.closest("input, select, pre, .wide") || (event.key === " " && event.target.closest("a, button"));
    const deed = own ? undefined : keys[event.key];
    if (!deed) return;
    event.preventDefault();
    deeds[deed]();
  });

  document.body.classList.add("alive");
  find("controls").hidden = false;
  stop();
  show(asked());
})();
