// What can be shared of a game: a link to the move that is shown, its picture, and the whole game as moving picture.
import { gif } from "./gif.js";
import { find } from "./stepper.js";

const LARGE = 1024; // pixels of the longer side of a picture
const SMALL = 480; // the same of a moving picture
const MOST = 400; // positions of it
const PAINTED = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"],
  ...["stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order"],
];

// The picture of a board as it is seen, on a canvas: in a file of its own it has the page's colours no longer.
const drawn = async (picture, longer, paper) => {
  const { width, height } = picture.viewBox.baseVal;
  const copy = picture.cloneNode(true);
  const [shown, copies] = [picture, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  shown.forEach((part, number) => {
    const style = getComputedStyle(part);
    for (const name of PAINTED) copies[number].setAttribute(name, style.getPropertyValue(name));
  });
  const scale = longer / Math.max(width, height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height].map((side) => Math.round(side * scale));
  copy.setAttribute("width", canvas.width);
  copy.setAttribute("height", canvas.height);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
};

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// `board`: what is shown; `positions`: the number of the last position; `put(place, number)`: puts a position on a board;
// `at()`: the number of that which is shown; `named`: what files are called.
export const share = ({ board, positions, put, at, named }) => {
  const box = find("share");
  const says = box.querySelector("output");
  const paper = () => getComputedStyle(document.body).backgroundColor;
  box.hidden = false;

  find("share-link").addEventListener("click", async () => {
    const address = location.href.replace(/#.*/, "") + `#ply-${at()}`;
    try {
      await navigator.clipboard.writeText(address);
      says.textContent = "The link is copied.";
    } catch {
      says.textContent = address;
    }
  });
  find("share-png").addEventListener("click", async () => {
    const canvas = await drawn(board.querySelector("svg"), LARGE, paper());
    canvas.toBlob((blob) => save(blob, `${named}-${at()}.png`));
  });
  find("share-gif").addEventListener("click", async () => {
    const place = board.cloneNode(false);
    place.removeAttribute("id");
    place.classList.add("unseen");
    board.after(place);
    const frames = [];
    const every = Math.ceil((positions + 1) / MOST);
    let canvas = null;
    const numbers = [...Array(positions + 1).keys()].filter((number) => number % every === 0 || number === positions);
    for (const number of numbers) {
      put(place, number);
      canvas = await drawn(place.querySelector("svg"), SMALL, paper());
      frames.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data);
      says.textContent = `position ${number} of ${positions}`;
    }
    place.remove();
    const delay = (number) => (number === frames.length - 1 ? 300 : 60);
    save(gif(frames, canvas.width, canvas.height, delay), `${named}.gif`);
    says.textContent = "";
  });
};
