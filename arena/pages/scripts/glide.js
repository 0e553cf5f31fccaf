// Lets a move glide, of any game: a part of the new board that is not on the old one comes from where a like part was
// that is gone; without one it fades in. Both boards are compared as markup, and only what differs is measured.
const GLIDES = 220; // milliseconds
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

// The parts of a board: the elements of its layers, and those of groups that are not moved as one.
const parts = (board) => {
  const isMany = (part) => part.matches("g:not([transform])") && part.children.length > 3;
  const inside = (box) => [...box.children].flatMap((part) => (isMany(part) ? inside(part) : [part]));
  return [...(board.querySelector("svg")?.querySelectorAll(":scope > g:not(.fields, .marks)") ?? [])].flatMap(inside);
};
const drawn = (board) => new Map(parts(board).map((part) => [part, part.outerHTML]));

// Where a part is, in the middle of it, and what it looks like wherever it is.
const measured = (part) => {
  const { x, y, width, height } = part.getBBox();
  const place = part.parentNode.getCTM().inverse().multiply(part.getCTM());
  const at = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(place);
  const kinds = [part, ...part.querySelectorAll("[class]")].map((one) => one.getAttribute("class"));
  const size = `${Math.round(width)} ${Math.round(height)}`;
  const look = part.matches("[transform]") ? part.innerHTML : `${kinds} ${size} ${part.textContent}`;
  // An outline or a ground of class "at" marks a place, such as that of the last move: it does not travel.
  const shapes = [part, ...part.querySelectorAll("*")].filter((one) => !one.matches("g, .at"));
  const travels = shapes.some((one) => getComputedStyle(one).fill !== "none");
  return { part, look, travels, x: at.x, y: at.y };
};
const far = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

// `change()` shows the board `after` in place of `before`, whose parts can be gone then.
export const glide = (before, after, change) => {
  if (isCalm.matches) return change();
  const old = drawn(before), fresh = drawn(after);
  const was = new Set(old.values()), stays = new Set(fresh.values());
  const gone = [...old.keys()].filter((part) => !stays.has(old.get(part))).map(measured);
  const come = [...fresh.keys()].filter((part) => !was.has(fresh.get(part)));
  change();
  for (const one of come.map(measured)) {
    const alike = gone.filter(({ look }) => one.travels && look === one.look);
    const [like] = alike.sort((a, b) => far(a, one) - far(b, one));
    if (like) gone.splice(gone.indexOf(like), 1);
    const from = like ? { translate: `${like.x - one.x}px ${like.y - one.y}px` } : { opacity: 0 };
    one.part.animate([from, like ? { translate: "0 0" } : { opacity: 1 }], { duration: GLIDES, easing: "ease-out" });
  }
};
