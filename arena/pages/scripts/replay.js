// Shows one position at a time; the players' clocks, the list of moves and the plots are updated with it. All positions
// are in the page as a text, in <noscript>, where a browser without scripts shows them; each is made from there.
import { put } from "./board.js";
import { share } from "./share.js";
import { find, markCurrent, stepper } from "./stepper.js";

const written = document.querySelector("noscript").textContent;
const positions = new DOMParser().parseFromString(written, "text/html");
const steps = [...positions.querySelectorAll(".steps > li")];
const links = [...document.querySelectorAll(".moves a")];
const cursors = [...document.querySelectorAll(".plot .cursor")];
const seats = [...document.querySelectorAll("#seats .seat")];
const [board, said, list] = [find("board"), find("step"), document.querySelector(".listed .moves")];
const last = steps.length - 1;
// Of tiles that are dealt in a row only the last one is a stop.
const beside = (at, by) => (steps[at + by]?.dataset.passes === undefined ? at + by : beside(at + by, by));
const mistakes = [...links.keys()].filter((number) => links[number].querySelector(".mark"));

// The parts that boards share, in place of what refers to them.
const shared = new Map();
const make = (part) => {
  if (part.localName !== "use") return [{ part }];
  const id = part.getAttribute("href");
  if (!shared.has(id)) shared.set(id, [...positions.querySelector(id).children].map((one) => ({ key: one.outerHTML, part: one })));
  return shared.get(id);
};

// The place of the board keeps one shape, that of the highest board, so that nothing jumps.
const boxes = steps.map((step) => step.querySelector("svg")?.viewBox.baseVal).filter((box) => box?.width);
const highest = Math.max(0, ...boxes.map(({ width, height }) => height / width));
const isAlike = boxes.every(({ width, height }) => Math.abs(height / width - highest) < 0.01);
if (!isAlike) board.style.aspectRatio = `1 / ${highest}`;

// The board of a step.
const drawnAt = (step) =>
  [...step.querySelector(".position, .played")?.children ?? []].filter((part) => part.localName !== "figcaption");

// The lines of a mistake: moves that were not played. Each row has a button for each move, which shows its position.
const lines = (step) => [...step.querySelectorAll("template")].map(({ content, dataset }) => {
  const row = document.createElement("p");
  row.className = `line ${dataset.kind}`;
  const moves = [...content.children].map((position) => {
    const button = document.createElement("button");
    button.type = "button";
    const piece = document.createElement("i");
    piece.className = "piece";
    button.className = position.className;
    button.append(piece, position.dataset.move);
    return button;
  });
  const title = document.createElement("b");
  title.textContent = dataset.kind === "better" ? "Better" : "Answer";
  row.append(title, ...moves);
  return row;
});
// The button whose position is shown instead of that of the step.
let played = null;
const playLine = (button) => {
  const row = button.closest(".line");
  const at = [...row.querySelectorAll("button")].indexOf(button);
  const { content } = steps[shown].querySelector(`template[data-kind=${row.classList[1]}]`);
  put(board, [...content.children[at].children], { make });
  played?.removeAttribute("aria-current");
  played = button;
  played.setAttribute("aria-current", "step");
  list.classList.add("astray");
  played.focus();
  find("status").textContent = button.textContent;
};
const leaveLine = () => {
  played.removeAttribute("aria-current");
  played = null;
  list.classList.remove("astray");
  put(board, drawnAt(steps[shown]), { make });
  find("status").textContent = said.querySelector("h3").textContent;
};
said.addEventListener("click", (event) => {
  const button = event.target.closest(".line button");
  if (button) playLine(button);
});
// While a line is shown, the arrows go along it, and back to the game at its beginning.
addEventListener("keydown", (event) => {
  if (played === null || !["ArrowLeft", "ArrowRight", "Escape"].includes(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const next = event.key === "ArrowRight" ? played.nextElementSibling : played.previousElementSibling;
  if (event.key !== "Escape" && next?.matches("button")) playLine(next);
  else if (event.key !== "ArrowRight") leaveLine();
}, true);

let shown = -1;
const isBeside = (at) => shown >= 0 && [beside(shown, 1), beside(shown, -1)].includes(at);

const show = (at) => {
  const step = steps[at];
  markCurrent(links, at, list);
  const words = [...step.children].filter((part) => !part.matches(".position, .two, template"));
  played = null;
  list.classList.remove("astray");
  said.replaceChildren(...words.map((part) => document.importNode(part, true)), ...lines(step));
  const clocks = [...step.querySelectorAll(".clock b")].map((clock) => clock.textContent);
  seats.forEach((seat, number) => {
    const isTurn = step.dataset.turn === String(number);
    seat.classList.toggle("turn", isTurn);
    if (clocks.length === seats.length) seat.querySelector(".time").textContent = clocks[number];
  });
  for (const cursor of cursors) cursor.setAttribute("d", `M${(100 * at) / Math.max(last, 1)},0V100`);
  // The board comes last, so that all is laid out at once.
  put(board, drawnAt(step), { make, moves: isBeside(at) });
  shown = at;
  const texts = (kind) => [...step.querySelectorAll(kind)].map((line) => line.textContent);
  const title = step.querySelector("h3").textContent;
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
for (const cursor of cursors) {
  const area = cursor.ownerSVGElement;
  area.addEventListener("click", (event) => {
    const { left, width } = area.getBoundingClientRect();
    go(Math.round((last * (event.clientX - left)) / width));
  });
}

// The mistakes are found behind the page, which then opens at the first one.
const search = find("find-mistakes");
search?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [button, progress, output] = search.children;
  button.disabled = true;
  progress.hidden = false;
  output.textContent = "";
  const fail = (why) => { [button.disabled, progress.hidden, output.textContent] = [false, true, why]; };
  try {
    const answer = await fetch(search.action, { method: "POST", body: new URLSearchParams(), headers: { accept: "text/plain" } });
    let text = "";
    for (const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      const judged = text.split("\n").at(-2);
      if (/^\d+$/.test(judged)) progress.value = judged;
    }
    const end = text.trimEnd().split("\n").at(-1);
    if (!answer.ok || !/^\d+$/.test(end)) return fail(end);
    location.replace(location.pathname);
  } catch {
    fail("No connection to the server. Try again.");
  }
});

if (board.querySelector("svg")) {
  share({
    board,
    positions: last,
    put: (place, number) => put(place, drawnAt(steps[number]), { make, moves: false }),
    at: () => shown,
    named: find("share").dataset.name,
  });
}

// All positions, when asked for and on paper.
const sheet = find("sheet");
const showAll = () => {
  if (!sheet.firstChild) sheet.innerHTML = written;
  sheet.classList.add("shown");
};
find("all").addEventListener("click", (event) => {
  event.preventDefault();
  showAll();
  sheet.scrollIntoView();
});
const paper = matchMedia("print");
if (paper.matches) showAll();
paper.addEventListener("change", () => { if (paper.matches) showAll(); });
addEventListener("beforeprint", showAll); // where paper is made, the medium changes too late
