// A part of a page that a server sends: as a text, or in pieces of the text before and of what is new.
export const whole = (before, sent) => {
  if (typeof sent === "string") return sent;
  return sent.map((piece) => (typeof piece === "string" ? piece : before.slice(...piece))).join("");
};

// The elements of a text.
export const elements = (markup) => {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return [...template.content.children];
};
