// A game that a person plays: moves are sent without loading the page, and chosen on the board's fields or by buttons.
import { choosing } from "./fields.js";
import { keep, kept } from "./kept.js";
import { show } from "./live.js";
import { on, wait } from "./page.js";
import { hear } from "./sound.js";

const choices = document.getElementById("choices");
const tools = document.getElementById("tools");
const said = document.getElementById("said");
const place = document.getElementById("board");
const OPENED = [".moves-as-buttons", ".end-game"];

const written = () => choices.querySelector("input[type=text], input:not([type])"); // where a move is written
const appear = () => { place.style.visibility = ""; };

const say = (text) => {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = text;
  said.replaceChildren(notice);
};

// The moves of which one must be chosen are copies of their buttons, in the place of messages.
const ask = (texts) => {
  if (texts.length === 0) {
    if (said.querySelector("button")) said.replaceChildren();
    return;
  }
  said.replaceChildren(
    ...[...choices.querySelectorAll("[name=move]")]
      .filter(({ value }) => texts.includes(value))
      .map((move) => {
        const button = move.cloneNode(true);
        button.type = "button";
        button.addEventListener("click", () => send("move", move.value));
        return button;
      }),
  );
};

const send = async (name, value) => {
  if (value !== "flip") said.replaceChildren();
  // Not the button but the whole section has the focus now: a key that is pressed twice must press nothing else.
  if (document.activeElement.matches("#choices button, #said button")) choices.focus({ preventScroll: true });
  try {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { accept: "text/plain" },
      body: new URLSearchParams([[name, value], ["turn", choices.querySelector("[name=turn]")?.value ?? ""]]),
    });
    if (answer.ok) {
      const input = written();
      if (input?.value === value) input.value = "";
      return;
    }
    say(await answer.text());
  } catch {
    say("No connection to the server. Try again.");
  }
  board.letGo();
};

const status = document.getElementById("status");
const board = choosing({ play: (text) => send("move", text), ask, tell: (name) => { status.textContent = name; } });

// New parts: who moved with the keyboard goes on with the keyboard, and what is being written or open stays.
on("parts", (parts) => {
  const text = written()?.value ?? "";
  const before = document.activeElement;
  const isHere = choices.contains(before) || said.contains(before) || before === document.body;
  const opened = OPENED.filter((part) => choices.querySelector(part)?.open);
  if (show(parts).has("board")) {
    board.settle();
    if (isFlipped() || kept("flipped") !== "yes") appear();
  }
  for (const part of opened) choices.querySelector(part)?.setAttribute("open", "");
  const input = written();
  if (input !== null) input.value = text;
  board.begin();
  hear(document.querySelectorAll("#moves .move").length);
  if (isHere && (before === choices || !before.isConnected)) (input ?? choices).focus({ preventScroll: true });
});
on("over", null);

choices.addEventListener("submit", (event) => {
  if (event.target.matches(".again")) return; // it leads to the page of another game
  event.preventDefault();
  const { name, value } = event.target.elements.move?.type === "text" ? event.target.elements.move : event.submitter;
  board.letGo();
  send(name, value);
  if (value === "hint") say("Looking for a hint");
});

// The side from which this person sees the boards is remembered.
const flipper = () => tools.querySelector("[value=flip]");
const isFlipped = () => flipper()?.getAttribute("aria-pressed") === "true";
tools.addEventListener("submit", (event) => {
  event.preventDefault();
  keep("flipped", isFlipped() ? "no" : "yes");
  send("do", "flip");
});
let hasBegun = false;
const begin = () => {
  if (hasBegun || flipper() === null) return;
  hasBegun = true;
  if (kept("flipped") !== "yes" || isFlipped()) return;
  place.style.visibility = "hidden"; // until it is turned: that is not to be seen
  send("do", "flip").then(() => wait(1000)).then(appear);
};
new MutationObserver(begin).observe(tools, { childList: true });
begin();

document.getElementById("keys").hidden = false;
const BUTTONS = { u: "#choices [value=take_back]", h: "#choices [value=hint]", f: "#tools [value=flip]" };
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, #moves")) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const button = BUTTONS[event.key] && document.querySelector(BUTTONS[event.key]);
  if (button) button.click();
  else if (!board.keys(event)) return;
  event.preventDefault();
});
