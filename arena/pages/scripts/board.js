// Shows a new board in place of the one before. Only the parts that differ are exchanged, and they move, of any game: a
// part comes from where a like part was that is gone; a disc falls into its hole; what changes its colour flips; dice
// roll; what is laid comes from above; what is taken fades.
const GLIDES = 220; // milliseconds
const FALLS = 340;
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
const keys = new WeakMap(); // of the parts that are shown: what they were written as
const leaving = new WeakSet();

// What is not exchanged as a whole: figures, pictures, what a picture consists of, and plain groups.
const isBox = (part) =>
  part.matches("figure, svg, svg > g:not(.fields, .marks)") || (part.localName === "g" && part.attributes.length === 0);

const written = (part) => {
  if (!keys.has(part)) keys.set(part, part.outerHTML);
  return keys.get(part);
};

// What there is to do so that `shown` has the children of `fresh`: the parts that are gone, those that come, and acts.
const plan = (shown, fresh, make, found) => {
  const parts = [...shown.children].filter((part) => !leaving.has(part));
  const boxes = parts.filter(isBox);
  const leaves = new Map();
  for (const part of parts.filter((one) => !boxes.includes(one))) {
    leaves.set(written(part), [...(leaves.get(written(part)) ?? []), part]);
  }
  const here = fresh.flatMap(make).map(({ key, part }) => {
    if (isBox(part)) {
      const at = boxes.findIndex(({ localName }) => localName === part.localName);
      const box = at < 0 ? document.importNode(part, false) : boxes.splice(at, 1)[0];
      found.acts.push(() => {
        for (const { name, value } of part.attributes) if (box.getAttribute(name) !== value) box.setAttribute(name, value);
      });
      plan(box, [...part.children], make, found);
      return box;
    }
    const what = key ?? written(part);
    const old = leaves.get(what)?.shift();
    if (old !== undefined) return old;
    const copy = document.importNode(part, true);
    keys.set(copy, what);
    found.come.push(copy);
    return copy;
  });
  const gone = [...boxes, ...[...leaves.values()].flat()];
  found.gone.push(...gone);
  found.acts.push(() => {
    let next = shown.firstElementChild;
    for (const part of here) {
      while (next !== null && (leaving.has(next) || gone.includes(next))) next = next.nextElementSibling;
      if (part === next) next = next.nextElementSibling;
      else shown.insertBefore(part, next);
    }
  });
};

// Where a part is, in the middle of it, and what it looks like wherever it is.
const measured = (part) => {
  const { x, y, width, height } = part.getBBox();
  const place = part.parentNode.getCTM().inverse().multiply(part.getCTM());
  const at = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(place);
  const kinds = [part, ...part.querySelectorAll("[class]")].map((one) => one.getAttribute("class"));
  const size = `${Math.round(width)} ${Math.round(height)}`;
  const inside = part.innerHTML.replace(/ transform="[^"]*"/g, "");
  const look = part.dataset.look ?? (part.matches("[transform]") ? inside : `${kinds} ${size} ${part.textContent}`);
  // An outline or a ground of class "at" marks a place, such as that of the last move: it does not travel.
  const shapes = [part, ...part.querySelectorAll("*")].filter((one) => !one.matches("g, .at"));
  const travels = shapes.some((one) => getComputedStyle(one).fill !== "none");
  return { part, look, travels, turned: Number(part.dataset.turned ?? 0), x: at.x, y: at.y, half: height / 2 };
};
const far = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
const kindOf = (look) => look.split(" ", 1)[0];
const taken = (from, found) => from.splice(from.indexOf(found), 1)[0];

// How a part comes: from where, turned, how large and how clear it begins, and how long that takes. Null if it is there
// at once, as lines are of which others were there.
const coming = (one, gone) => {
  const [like] = gone
    .filter(({ look }) => one.travels && look === one.look)
    .sort((a, b) => far(a, one) - far(b, one));
  if (like) {
    taken(gone, like).part.remove();
    return { by: [like.x - one.x, like.y - one.y], turn: ((like.turned - one.turned + 540) % 360) - 180 };
  }
  if (one.part.matches(".rolls")) return { turn: -170, scale: [0.6, 0.6], opacity: 0, lasts: FALLS };
  if (!one.travels) return gone.some(({ look }) => kindOf(look) === kindOf(one.look)) ? null : { opacity: 0 };
  if (one.part.localName === "text") return { opacity: 0 };
  const before = gone.find((other) => other.travels && far(one, other) < 1);
  if (!before) return { scale: [1.3, 1.3], opacity: 0 };
  const { part } = taken(gone, before);
  if (!part.matches(".hole")) {
    part.remove();
    return { scale: [0.01, 1] };
  }
  leaving.add(part); // the hole is seen until the disc is there
  setTimeout(() => part.remove(), FALLS);
  return { by: [0, one.half - one.y], lasts: FALLS, easing: "ease-in" }; // from the edge of the board, not from above it
};

// Only whole matrices are animated: a browser moves these without another layout.
const move = (one, how) => {
  const { by = [0, 0], turn = 0, scale = [1, 1], opacity = 1, lasts = GLIDES, easing = "ease-out" } = how;
  const { matrix } = one.part.transform.baseVal.consolidate() ?? { matrix: new DOMMatrix() };
  const rests = DOMMatrix.fromMatrix(matrix);
  const there = new DOMMatrix().translate(one.x + by[0], one.y + by[1]);
  const begins = there.rotate(turn).scale(...scale).translate(-one.x, -one.y).multiply(rests);
  const frames = [{ transform: `${begins}`, opacity }, { transform: `${rests}`, opacity: 1 }];
  one.part.animate(frames, { duration: lasts, easing });
  one.part.querySelector(".runner[opacity]")?.animate({ opacity: [0, 1, 0, 1, 0] }, { duration: lasts });
};

const fade = ({ part }) => {
  leaving.add(part);
  part.animate({ opacity: [1, 0] }, { duration: GLIDES, easing: "ease-in" }).finished.then(
    () => part.remove(),
    () => part.remove(),
  );
};

// Shows the elements `fresh` in `place`. `make` gives for each part those that are shown for it, each with what it is
// written as, if that is known. `moves`: whether the parts that differ move.
const plain = (part) => [{ part }];
export const put = (place, fresh, { make = plain, moves = true } = {}) => {
  const found = { come: [], gone: [], acts: [] };
  plan(place, fresh, make, found);
  const isStill = isCalm.matches || !moves || place.querySelector("svg") === null;
  const inside = (parts) => parts.filter((part) => part.getBBox && part.ownerSVGElement && !part.matches(".fields, .marks"));
  for (const act of found.acts) act();
  const [gone, come] = [found.gone, found.come].map((parts) => (isStill ? [] : inside(parts).map(measured)));
  const stays = new Set(gone.map(({ part }) => part));
  for (const part of found.gone) if (!stays.has(part)) part.remove();
  const moved = [];
  for (const one of come) {
    // What is on a piece, such as its ring, goes with it.
    const under = one.part.matches("[class^=on-]") && moved.find((other) => far(one, other) < 1);
    one.how = under ? under.how : coming(one, gone);
    if (one.how === null) continue;
    moved.push(one);
    move(one, one.how);
  }
  for (const one of gone) {
    if (one.travels && one.part.localName !== "text" && one.part.isConnected) fade(one);
    else one.part.remove();
  }
};
