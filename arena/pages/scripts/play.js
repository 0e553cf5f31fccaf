// A game that a person plays: moves are sent without loading the page, and clicks on the board's fields choose moves.
import { on } from "./page.js";
import { show } from "./live.js";

const choices = document.getElementById("choices");
const board = document.getElementById("board");
const said = document.getElementById("said");
let clicked = [];

const say = (text) => {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = text;
  said.replaceChildren(notice);
};

// New parts: who moved with the keyboard goes on with the keyboard, and what is being written stays.
on("parts", (parts) => {
  const written = choices.querySelector("input")?.value ?? "";
  const before = document.activeElement;
  const isHere = choices.contains(before) || before === document.body;
  const isOpen = choices.querySelector(".moves-as-buttons")?.open;
  show(parts);
  if (isOpen) choices.querySelector(".moves-as-buttons")?.setAttribute("open", "");
  const input = choices.querySelector("input");
  if (input !== null) input.value = written;
  choose(movesThrough(clicked).length > 0 ? clicked : []);
  if (isHere && (before === choices || !before.isConnected)) (input ?? choices).focus({ preventScroll: true });
});
on("over", null);

const send = async (name, value) => {
  choose([]);
  said.replaceChildren();
  // Not the button but the whole section has the focus now: a key that is pressed twice must press nothing else.
  if (document.activeElement.matches("#choices button")) choices.focus({ preventScroll: true });
  try {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { accept: "text/plain" },
      body: new URLSearchParams([[name, value]]),
    });
    if (!answer.ok) return say(await answer.text());
    const input = choices.querySelector("input");
    if (input?.value === value) input.value = "";
  } catch {
    say("No connection to the server. Try again.");
  }
};

choices.addEventListener("submit", (event) => {
  if (event.target.matches(".again")) return; // it leads to the page of another game
  event.preventDefault();
  const { name, value } = event.target.elements.move?.type === "text" ? event.target.elements.move : event.submitter;
  send(name, value);
  if (value === "hint") say("Looking for a hint");
});

// The fields of a way to click a move that come next, after those of the path; null if the path does not belong to it. Its
// steps can be clicked in any order.
const nextFields = (steps, path) => {
  if (path.length === 0) return steps.map(([first]) => first);
  const begun = steps.filter((step) => step.every((name, at) => at >= path.length || path[at] === name));
  if (begun.length === 0) return null;
  if (path.length < begun[0].length) return begun.map((step) => step[path.length]);
  return nextFields(steps.filter((step) => step !== begun[0]), path.slice(begun[0].length));
};

// The ways to click each move.
const allWays = () => JSON.parse(choices.querySelector("[data-fields]")?.dataset.fields ?? "{}");

// The moves to which a path leads, with the fields of each that can be clicked next.
const movesThrough = (path) =>
  Object.entries(allWays())
    .map(([text, ways]) => [text, ways.map((steps) => nextFields(steps, path)).filter((next) => next !== null)])
    .filter(([, next]) => next.length > 0)
    .map(([text, next]) => [text, next.flat()]);

// Whether each move is one click: then dots show at once where one can go, else where the chosen piece can go.
const isOneClick = () => Object.values(allWays()).flat().every((steps) => steps.flat().length === 1);

// Marks what is chosen and what can be clicked next. Of several moves over the same fields, such as promotions, the
// buttons that remain choose one.
const choose = (path) => {
  clicked = path;
  const fitting = movesThrough(clicked);
  const next = new Set(clicked.length > 0 || isOneClick() ? fitting.flatMap(([, fields]) => fields) : []);
  for (const { dataset, classList } of board.querySelectorAll("[data-field]")) {
    classList.toggle("chosen", clicked.includes(dataset.field));
    classList.toggle("target", next.has(dataset.field));
  }
  const texts = new Set(fitting.map(([text]) => text));
  for (const button of choices.querySelectorAll("[name=move]")) button.hidden = clicked.length > 0 && !texts.has(button.value);
  // Several moves over the same fields: the buttons are seen then.
  const all = choices.querySelector(".moves-as-buttons");
  if (all && fitting.length > 1 && fitting.every(([, fields]) => fields.length === 0)) all.open = true;
};

// Under a finger a small field is hard to meet: the first touch shows the part of the board around it twice as large.
const SMALLEST = 24; // pixels
const isFinger = matchMedia("(pointer: coarse)");
const magnify = (field, { clientX, clientY }) => {
  const picture = field.ownerSVGElement;
  if (!isFinger.matches || picture.dataset.large || field.getBoundingClientRect().width >= SMALLEST) return false;
  const box = picture.viewBox.baseVal;
  const at = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM().inverse());
  const [width, height] = [box.width / 2, box.height / 2];
  const inside = (middle, half, low, whole) => Math.min(Math.max(middle - half / 2, low), low + whole - half);
  const [x, y] = [inside(at.x, width, box.x, box.width), inside(at.y, height, box.y, box.height)];
  picture.dataset.large = picture.getAttribute("viewBox");
  picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  return true;
};
const reduce = () => {
  const picture = board.querySelector("[data-large]");
  if (picture === null) return;
  picture.setAttribute("viewBox", picture.dataset.large);
  delete picture.dataset.large;
};

// A move that is whole is played, unless another one goes on from there.
board.addEventListener("click", (event) => {
  const field = event.target.closest("[data-field]");
  if (field !== null && magnify(field, event)) return;
  reduce();
  const name = field?.dataset.field;
  if (name === undefined) return choose([]);
  const further = movesThrough([...clicked, name]).length > 0;
  if (!further && clicked.at(-1) === name) return choose([]);
  const path = further ? [...clicked, name] : movesThrough([name]).length > 0 ? [name] : [];
  const [[text, next] = [], ...others] = movesThrough(path);
  if (others.length === 0 && next?.length === 0) return send("move", text);
  choose(path);
});

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && clicked.length > 0) choose([]);
});
