// The page on which an agent is handed in: a file can be dropped on it, and a large one shows how far it is.
const form = document.getElementById("upload");
const field = document.getElementById("file");
const progress = document.getElementById("progress");

const say = (text) => { progress.textContent = text; };

const dropped = (event) => {
  event.preventDefault();
  form.classList.toggle("over", event.type === "dragover");
  if (event.type !== "drop") return;
  const [item, ...others] = event.dataTransfer.items;
  if (item === undefined || others.length > 0) return say("Drop one file; put several into a zip.");
  if (item.webkitGetAsEntry?.()?.isDirectory) return say("That is a folder: put it into a zip, and drop that.");
  field.files = event.dataTransfer.files;
  chosen();
};

// What is too large is told before it is sent.
const chosen = () => {
  const [file] = field.files, most = Number(form.dataset.most);
  const isLarge = file !== undefined && file.size > most;
  say(file === undefined ? "" : isLarge ? `${file.name}: expected a file of at most ${most / 2 ** 20} MiB, got ${Math.ceil(file.size / 2 ** 20)} MiB` : file.name);
  return !isLarge;
};

const done = (request) => {
  // The server led to the page of the submission; or the answer is this page again, and says what is wrong.
  if (request.status === 200 && new URL(request.responseURL).pathname !== location.pathname) {
    return location.assign(request.responseURL);
  }
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  say(page.querySelector("[role=alert]")?.textContent ?? page.querySelector("main p:not(:empty)")?.textContent ?? "It was not taken. Try again.");
};

const send = (event) => {
  event.preventDefault();
  if (!chosen()) return;
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    say(loaded < total ? `Sent ${Math.floor((100 * loaded) / total)} %` : "Sent. The server reads it.");
  });
  request.addEventListener("load", () => done(request));
  request.addEventListener("error", () => say("It was not sent: no connection to the server, or the file has changed. Choose it again."));
  request.open("POST", form.action);
  request.send(new FormData(form));
  say("Sending");
};

if (form !== null) {
  for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, dropped);
  field.addEventListener("change", chosen);
  form.addEventListener("submit", send);
}
