// Shows the search up to one step: the tree, the lines of code and the row of the table.
import { find, markCurrent, stepper } from "./stepper.js";

const rows = [...document.querySelectorAll("#events tbody tr")];
const links = rows.map((row) => row.querySelector("a"));
const lines = [...document.querySelectorAll("#code .line")];
const [picture, table, code, sentence] = [".picture", "#events", "#code", "#says"].map((box) => document.querySelector(box));
const last = rows.length - 1;
const cutoffs = [...rows.keys()].filter((number) => "cutoff" in rows[number].dataset);
// Without its id, the browser does not scroll to the row that the address names.
for (const link of links) link.removeAttribute("id");
const nodes = [];
for (const part of picture.querySelectorAll("[data-node]")) {
  const node = (nodes[part.dataset.node] ??= { parts: [], best: [] });
  node.parts.push(part);
  node.best.push(...[part, ...part.querySelectorAll(".best")].filter((one) => one.classList.contains("best")));
  if (part.localName !== "g") continue;
  node.group = part;
  for (const name of ["value", "window", "hit"]) node[name] = part.querySelector(`.${name}`);
}

// What each node shows after step `at`: the changes of all steps before it, one after the other.
const after = (at) => {
  const shown = nodes.map(() => ({ value: "", window: "", hit: "", seen: false }));
  for (const { dataset } of rows.slice(0, at + 1)) {
    if (dataset.window !== undefined) shown[dataset.windowOf].window = dataset.window;
    if (dataset.value !== undefined) Object.assign(shown[dataset.valueOf], { value: dataset.value, hit: dataset.hit ?? "" });
    for (const number of dataset.appears?.split(" ") ?? []) shown[number].seen = true;
  }
  return shown;
};

// Scrolls a box (not the page) so that `part` is visible.
const reveal = (part, box) => {
  const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
  const room = 40;
  if (inner.left < outer.left + room || inner.right > outer.right - room) {
    box.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    box.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }
};

// Scrolls the code by as little as shows all lines that run, or the last of them if they are too far apart.
const revealLines = (running) => {
  const tops = running.map((number) => lines[number].offsetTop);
  const [first, end] = [Math.min(...tops), Math.max(...tops) + lines[0].offsetHeight];
  code.scrollTop = Math.max(Math.min(code.scrollTop, first), end - code.clientHeight);
};

const show = (at) => {
  const { dataset } = rows[at];
  markCurrent(links, at, table);
  after(at).forEach(({ seen, ...texts }, number) => {
    const node = nodes[number];
    for (const part of node.parts) part.classList.toggle("later", !seen);
    for (const part of node.best) part.classList.toggle("best", at === last);
    node.group.classList.toggle("current", at < last && number === Number(dataset.at));
    node.group.classList.toggle("changed", number === Number(dataset.windowOf));
    for (const [name, text] of Object.entries(texts)) if (node[name]) node[name].textContent = text;
  });
  const running = new Set(dataset.lines?.split(" ").map(Number));
  lines.forEach((line, number) => line.classList.toggle("running", running.has(number)));
  if (running.size) revealLines([...running]);
  rows.forEach((row, number) => row.classList.toggle("current", number === at));
  reveal(nodes[dataset.at].group, picture);
  sentence.textContent = dataset.says;
  return { title: links[at].textContent, says: dataset.says };
};

const go = stepper({
  last,
  name: "step",
  show,
  actions: {
    // After the last cut-off the first one comes again.
    cutoff: (at) => cutoffs.find((number) => number > at) ?? cutoffs[0] ?? at,
    earlier: (at) => cutoffs.findLast((number) => number < at) ?? cutoffs.at(-1) ?? at,
  },
  keys: { c: "cutoff", C: "earlier" },
});
rows.forEach((row, number) => row.addEventListener("click", (event) => { event.preventDefault(); go(number); }));

// On paper: the end of the search.
const paper = matchMedia("print");
paper.addEventListener("change", () => show(paper.matches ? last : Number(find("at").value)));
