// A short click at each move, made by the browser itself: off until the reader switches it on, which the browser remembers.
import { keep, kept } from "./kept.js";

const button = document.getElementById("sound");
let context = null;

const isOn = () => button.getAttribute("aria-pressed") === "true";
const set = (on) => button.setAttribute("aria-pressed", on);

const knock = () => {
  context ??= new AudioContext();
  context.resume(); // a browser lets nothing sound before the first click or key
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  const now = context.currentTime;
  tone.type = "triangle";
  tone.frequency.setValueAtTime(520, now);
  tone.frequency.exponentialRampToValueAtTime(180, now + 0.05);
  volume.gain.setValueAtTime(0.25, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.07);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.08);
};

// Called with the number of moves that are shown: there is a sound when it grows, but not when the page opens.
let count = null;
export const hear = (moves) => {
  if (count !== null && moves > count && isOn()) knock();
  count = moves;
};

button.hidden = false;
set(kept("sound") === "on");
button.addEventListener("click", () => {
  set(!isOn());
  keep("sound", isOn() ? "on" : "off");
  if (isOn()) knock();
});
