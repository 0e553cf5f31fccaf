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

// New parts: who moved with the keyboard goes on with the keyboard.
on("parts", (parts) => {
  const isHere = choices.contains(document.activeElement) || document.activeElement === document.body;
  const before = document.activeElement;
  clicked = [];
  show(parts);
  if (isHere && !before.isConnected) (choices.querySelector("button, a") ?? choices).focus();
});
on("over", null);

const send = async (name, value) => {
  clicked = [];
  try {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { accept: "text/plain" },
      body: new URLSearchParams([[name, value]]),
    });
    if (!answer.ok) say(await answer.text());
  } catch {
    say("No connection to the server. Try again.");
  }
};

choices.addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, value } = event.submitter;
  if (value === "hint") say("Looking for a hint");
  send(name, value);
});

// The moves that begin with these fields: one that is whole is played, unless another one goes on from there.
board.addEventListener("click", (event) => {
  const field = event.target.closest("[data-field]");
  const form = choices.querySelector("[data-fields]");
  if (field === null || form === null) return;
  const moves = Object.entries(JSON.parse(form.dataset.fields));
  const beginWith = (path) => moves.filter(([, names]) => path.every((name, at) => names[at] === name));
  const path = [...clicked, field.dataset.field];
  const found = beginWith(path).length > 0 ? path : [field.dataset.field];
  const fitting = beginWith(found);
  clicked = fitting.length > 0 ? found : [];
  const whole = fitting.filter(([, names]) => names.length === clicked.length);
  if (whole.length === 1 && fitting.length === 1) return send("move", whole[0][0]);
  for (const each of board.querySelectorAll("[data-field]")) {
    each.classList.toggle("chosen", clicked.includes(each.dataset.field));
  }
  // Of several moves over these fields, such as promotions, the buttons that remain choose one.
  const texts = new Set(fitting.map(([text]) => text));
  for (const button of choices.querySelectorAll("[name=move]")) button.hidden = clicked.length > 0 && !texts.has(button.value);
});
