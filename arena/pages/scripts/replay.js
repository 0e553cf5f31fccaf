// Shows one position at a time; the list of moves and the curves are updated with it.
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const links = [...document.querySelectorAll(".moves a")];
  const marks = [...document.querySelectorAll(".now")];
  const last = steps.length - 1;
  // Of tiles that are dealt in a row only the last one is a stop.
  const beside = (at, by) => (steps[at + by]?.dataset.passes === undefined ? at + by : beside(at + by, by));
  const mistakes = [...links.keys()].filter((number) => links[number].querySelector(".mark"));

  let shown = -1;
  const reveal = (at) => steps.forEach((step, number) => { step.hidden = number !== at; });
  const isBeside = (at) => shown >= 0 && [beside(shown, 1), beside(shown, -1)].includes(at);

  const show = (at) => {
    if (isBeside(at)) glide(steps[shown], steps[at], () => reveal(at));
    else reveal(at);
    shown = at;
    markCurrent(links, at, links[at].closest("ol"));
    for (const mark of marks) {
      const from = Number(mark.dataset.from);
      const x = from + ((Number(mark.dataset.to) - from) * at) / Math.max(last, 1);
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
    }
    const texts = (kind) => [...steps[at].querySelectorAll(kind)].map((line) => line.textContent);
    const title = steps[at].querySelector("h3").textContent;
    const ended = at === last ? texts(".verdict") : [];
    return { title, says: [title, ...texts(".mistake"), ...texts(".clock"), ...ended].join(". ") };
  };

  const go = stepper({
    last,
    name: "ply",
    show,
    beside,
    actions: {
      // After the last mistake the first one comes again.
      mistake: (at) => mistakes.find((number) => number > at) ?? mistakes[0] ?? at,
      earlier: (at) => mistakes.findLast((number) => number < at) ?? mistakes.at(-1) ?? at,
    },
    keys: { m: "mistake", M: "earlier" },
  });
  links.forEach((link, number) => link.addEventListener("click", (event) => { event.preventDefault(); go(number); }));
  for (const mark of marks) {
    const picture = mark.ownerSVGElement;
    picture.addEventListener("click", (event) => {
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()).x;
      const from = Number(mark.dataset.from);
      const at = Math.round(((x - from) / (Number(mark.dataset.to) - from)) * last);
      go(at);
      find("controls").scrollIntoView({ block: "nearest" });
    });
  }
})();
