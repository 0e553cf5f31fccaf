// A part of a page that a server sends: as a text, or in pieces of the text before and of what is new.
export const whole = (before, sent) => {
  if (typeof sent === "string") return sent;
  return sent.map((piece) => (typeof piece === "string" ? piece : before.slice(...piece))).join("");
};
