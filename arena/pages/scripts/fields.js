// Choosing a move on the fields of a board: by clicks, by dragging a piece, or with keys. All three go along a path of
// fields. The page says which paths there are; no game is named here.
const board = document.getElementById("board");
const choices = document.getElementById("choices");

// The fields of a way to make a move that come next, after those of the path; null if the path does not belong to it. Its
// steps can be chosen in any order.
const nextFields = (steps, path) => {
  if (path.length === 0) return steps.map(([first]) => first);
  const begun = steps.filter((step) => step.every((name, at) => at >= path.length || path[at] === name));
  if (begun.length === 0) return null;
  if (path.length < begun[0].length) return begun.map((step) => step[path.length]);
  return nextFields(steps.filter((step) => step !== begun[0]), path.slice(begun[0].length));
};

// The ways to choose each move.
const allWays = () => JSON.parse(choices.querySelector("[data-fields]")?.dataset.fields ?? "{}");

// The moves to which a path leads, with the fields of each that can be chosen next.
const movesThrough = (path) =>
  Object.entries(allWays())
    .map(([text, ways]) => [text, ways.map((steps) => nextFields(steps, path)).filter((next) => next !== null)])
    .filter(([, next]) => next.length > 0)
    .map(([text, next]) => [text, next.flat()]);
const fieldsAfter = (path) => new Set(movesThrough(path).flatMap(([, fields]) => fields));

// Whether each move is one field: then dots show at once where one can go, else where the chosen piece can go.
const isOneField = () => Object.values(allWays()).flat().every((steps) => steps.flat().length === 1);

const fields = () => [...board.querySelectorAll("[data-field]")];
const fieldNamed = (name) => fields().find(({ dataset }) => dataset.field === name);
const fieldAt = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY)?.closest("#board [data-field]");

// `play` is called with a move that is chosen, `ask` with the moves of which one must be chosen in another way, such as
// promotions, and `tell` with the name of the field that the keys have reached.
export const choosing = ({ play, ask, tell }) => {
  let path = [];
  let cursor = null;
  let held = null; // the field under the pointer that is down, and from when it is dragged its piece
  let moved = []; // what was dragged, until there is a new board

  // Marks what is chosen and what can be chosen next.
  const choose = (chosen) => {
    path = chosen;
    const [next, first] = [fieldsAfter(path), fieldsAfter([])];
    const shows = path.length > 0 || isOneField();
    for (const { dataset, classList } of fields()) {
      classList.toggle("chosen", path.includes(dataset.field));
      classList.toggle("target", shows && next.has(dataset.field));
      classList.toggle("drags", !isOneField() && (first.has(dataset.field) || next.has(dataset.field)));
      classList.toggle("cursor", dataset.field === cursor);
    }
    const fitting = movesThrough(path);
    const texts = new Set(fitting.map(([text]) => text));
    for (const button of choices.querySelectorAll("[name=move]")) button.hidden = path.length > 0 && !texts.has(button.value);
    ask(fitting.length > 1 && next.size === 0 ? [...texts] : []);
  };
  const putBack = (parts) => {
    for (const { part, next, animation } of parts) {
      animation.cancel();
      if (part.isConnected && next?.isConnected) next.before(part);
    }
  };
  const letGo = () => {
    putBack(moved.splice(0).reverse());
    choose([]);
  };

  // A move that is whole is played, unless another one goes on from there.
  const step = (name) => {
    const further = movesThrough([...path, name]).length > 0;
    if (!further && path.at(-1) === name) return letGo();
    const chosen = further ? [...path, name] : movesThrough([name]).length > 0 ? [name] : [];
    if (!further) letGo();
    const [[text, next] = [], ...others] = movesThrough(chosen);
    if (others.length > 0 || next?.length !== 0) return choose(chosen);
    choose([]);
    play(text);
  };

  // Under a finger a small field is hard to meet: the first touch shows the part of the board around it twice as large.
  const SMALLEST = 24; // pixels
  const isFinger = matchMedia("(pointer: coarse)");
  const isSmall = (field) =>
    isFinger.matches && !field.ownerSVGElement.dataset.large && field.getBoundingClientRect().width < SMALLEST;
  const magnify = (field, { clientX, clientY }) => {
    const picture = field.ownerSVGElement;
    const box = picture.viewBox.baseVal;
    const at = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM().inverse());
    const [width, height] = [box.width / 2, box.height / 2];
    const inside = (middle, half, low, whole) => Math.min(Math.max(middle - half / 2, low), low + whole - half);
    const [x, y] = [inside(at.x, width, box.x, box.width), inside(at.y, height, box.y, box.height)];
    picture.dataset.large = picture.getAttribute("viewBox");
    picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  };
  const reduce = () => {
    const picture = board.querySelector("[data-large]");
    if (picture === null) return;
    picture.setAttribute("viewBox", picture.dataset.large);
    delete picture.dataset.large;
  };

  let isDropped = false; // the click that a browser makes of a drag is none
  board.addEventListener("click", (event) => {
    if (isDropped) return;
    const field = event.target.closest("[data-field]");
    cursor = null;
    if (field !== null && isSmall(field)) return magnify(field, event);
    reduce();
    if (field === null) return letGo();
    step(field.dataset.field);
  });

  // The piece of the person on a field that is nearest to the pointer, with all that lies on it.
  const middle = (part) => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const pieceOn = (field, { clientX, clientY }) => {
    const box = field.getBoundingClientRect();
    const isInside = ({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom;
    const parts = [...field.ownerSVGElement.querySelectorAll(":scope > g:not(.fields, .marks) > *")]
      .map((part) => ({ part, at: middle(part) }))
      .filter(({ at }) => isInside(at));
    const kind = `.${choices.querySelector("[data-piece]").dataset.piece}`;
    const far = ({ at }) => Math.hypot(at.x - clientX, at.y - clientY);
    const [piece] = parts
      .filter(({ part }) => part.matches(kind) || part.querySelector(kind) !== null)
      .sort((one, other) => far(one) - far(other));
    if (piece === undefined) return [];
    const lies = ({ part, at }) => Math.hypot(at.x - piece.at.x, at.y - piece.at.y) < 2 && !part.matches(".last, .at");
    return parts.filter(lies).map(({ part }) => part);
  };
  // A piece that is dragged is painted over all others. No attribute of it changes, so the next board finds it.
  const lift = (part) => {
    let one = moved.find((other) => other.part === part);
    if (one === undefined) {
      one = { part, next: part.nextElementSibling, by: [0, 0], animation: part.animate([], { duration: 1, fill: "forwards" }) };
      moved.push(one);
      part.parentNode.append(part);
    }
    return { ...one, from: one.by };
  };
  const DRAGGED = 6; // pixels
  board.addEventListener("pointerdown", (event) => {
    isDropped = false;
    const field = event.target.closest(".drags");
    if (field === null || !event.isPrimary || event.button !== 0 || isSmall(field)) return;
    // Who is faster than a piece that still glides finds it where it goes.
    for (const motion of board.getAnimations({ subtree: true })) motion.finish();
    held = { field, id: event.pointerId, x: event.clientX, y: event.clientY, parts: null };
  });
  // A finger that drags must not scroll the page. Browsers ignore `touch-action` on what is inside of an SVG.
  board.addEventListener("touchmove", (event) => { if (held !== null) event.preventDefault(); }, { passive: false });
  addEventListener("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    const { field, x, y } = held;
    if (held.parts === null) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED) return;
      const found = pieceOn(field, { clientX: x, clientY: y });
      if (found.length > 0 && path.at(-1) !== field.dataset.field) step(field.dataset.field);
      if (found.length === 0 || path.at(-1) !== field.dataset.field) {
        held = null; // it is a click
        return;
      }
      held.parts = found.map(lift);
    }
    for (const { part, animation, from } of held.parts) {
      const { a, d } = part.parentNode.getScreenCTM();
      const by = [from[0] + (event.clientX - x) / a, from[1] + (event.clientY - y) / d];
      animation.effect.setKeyframes({ translate: [`${by[0]}px ${by[1]}px`, `${by[0]}px ${by[1]}px`] });
      moved.find((one) => one.part === part).by = by;
    }
  });
  const drop = (event) => {
    if (held?.id !== event.pointerId) return;
    const { parts } = held;
    held = null;
    if (parts === null) return;
    isDropped = true;
    const name = event.type === "pointerup" ? fieldAt(event)?.dataset.field : undefined;
    if (name !== undefined && fieldsAfter(path).has(name)) return step(name);
    letGo();
  };
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);

  // Keys: arrows go to the nearest field in their direction that can be chosen, Enter chooses it, a digit a column.
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const go = ([right, down]) => {
    const names = new Set([...fieldsAfter(path), ...path.slice(-1)]);
    const here = fieldNamed(cursor) ?? fieldNamed(path.at(-1));
    const from = middle(here ?? board);
    const [nearest] = fields()
      .filter((field) => names.has(field.dataset.field) && field !== here)
      .map((field) => {
        const [x, y] = [middle(field).x - from.x, middle(field).y - from.y];
        const [along, across] = [x * right + y * down, x * down + y * right];
        return { field, along, far: Math.abs(along) + 3 * Math.abs(across) };
      })
      .filter(({ along }) => here === undefined || along > 1)
      .sort((one, other) => one.far - other.far);
    if (nearest === undefined) return;
    cursor = nearest.field.dataset.field;
    choose(path);
    choices.focus({ preventScroll: true });
    tell(cursor);
  };
  const keys = (event) => {
    const column = /^[1-9]$/.test(event.key) && isOneField() && [...fieldsAfter([])].find((name) => name.endsWith(` ${event.key}`));
    if (event.key in ARROWS && fields().length > 0) go(ARROWS[event.key]);
    else if (event.key === "Enter" && cursor !== null && fieldNamed(cursor)) step(cursor);
    else if (event.key === "Escape" && (path.length > 0 || cursor !== null)) {
      cursor = null;
      letGo();
    } else if (column) step(column);
    else return false;
    return true;
  };

  return {
    keys,
    letGo,
    // There is a new board, or it is the same one with other marks: what still leads to a move stays chosen.
    begin: () => {
      if (fieldNamed(cursor) === undefined) cursor = null;
      choose(movesThrough(path).length > 0 ? path : []);
    },
    // A new board is shown. What was dragged is put back only now, so that a move began where its piece was dropped.
    settle: () => {
      held = null;
      putBack(moved.splice(0).reverse());
    },
  };
};
