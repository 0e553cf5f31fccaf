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
  const isHere = choices.contains(document.activeElement) || document.activeElement === document.body;
  const before = document.activeElement;
  show(parts);
  const input = choices.querySelector("input");
  if (input !== null) input.value = written;
  choose(movesThrough(clicked).length > 0 ? clicked : []);
  if (isHere && !before.isConnected) (choices.querySelector("input, button, a") ?? choices).focus();
});
on("over", null);

const send = async (name, value) => {
  choose([]);
  said.replaceChildren();
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
  event.preventDefault();
  const { name, value } = event.target.elements.move?.type === "text" ? event.target.elements.move : event.submitter;
  send(name, value);
  if (value === "hint") say("Looking for a hint");
});

// The moves that go through these fields, with the fields of each.
const movesThrough = (path) => {
  const form = choices.querySelector("[data-fields]");
  const moves = form === null ? [] : Object.entries(JSON.parse(form.dataset.fields));
  return moves.filter(([, names]) => path.every((name, at) => names[at] === name));
};

// Marks what is chosen and what can be clicked next. Of several moves over the same fields, such as promotions, the
// buttons that remain choose one.
const choose = (path) => {
  clicked = path;
  const fitting = movesThrough(clicked);
  const next = new Set(clicked.length > 0 ? fitting.map(([, names]) => names[clicked.length]) : []);
  for (const { dataset, classList } of board.querySelectorAll("[data-field]")) {
    classList.toggle("chosen", clicked.includes(dataset.field));
    classList.toggle("target", next.has(dataset.field));
  }
  const texts = new Set(fitting.map(([text]) => text));
  for (const button of choices.querySelectorAll("[name=move]")) button.hidden = clicked.length > 0 && !texts.has(button.value);
};

// A move that is whole is played, unless another one goes on from there.
board.addEventListener("click", (event) => {
  const name = event.target.closest("[data-field]")?.dataset.field;
  if (name === undefined) return choose([]);
  if (clicked.at(-1) === name) return choose([]);
  const path = [[...clicked, name], [name]].find((one) => movesThrough(one).length > 0) ?? [];
  const [[text, names] = [], ...others] = movesThrough(path);
  if (others.length === 0 && names?.length === path.length) return send("move", text);
  choose(path);
});

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && clicked.length > 0) choose([]);
});
