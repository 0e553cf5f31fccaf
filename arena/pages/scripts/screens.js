// Small screens: each shows one game in progress after the other.
import { put } from "./board.js";
import { on } from "./page.js";
import { elements, whole } from "./parts.js";

for (const screen of document.querySelectorAll("[data-screen]")) {
  const [link, board, players, state] = ["a", ".figure", ".players", ".line"].map((part) => screen.querySelector(part));
  let now = null;
  let texts = {};

  on(`screen-${screen.dataset.screen}`, ({ game, parts }) => {
    const isNext = game !== now;
    if (isNext) texts = {};
    now = game;
    screen.hidden = game === null;
    if (game === null) return;
    link.href = `/g/${game}`;
    for (const [id, sent] of Object.entries(parts)) texts[id] = whole(texts[id], sent);
    if (parts.players !== undefined) players.innerHTML = texts.players;
    if (parts.state !== undefined) state.innerHTML = texts.state;
    if (parts.board === undefined) return;
    put(board, elements(texts.board), { moves: !isNext });
  });
}
