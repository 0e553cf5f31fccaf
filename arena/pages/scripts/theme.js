// Light or dark: as the reader's system is, until the reader chooses; the choice is kept.
(() => {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const kept = (change) => { try { return change(localStorage); } catch { return null; } }; // not allowed in some files
  const chosen = kept((store) => store.getItem("theme"));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept((store) => store.setItem("theme", root.dataset.theme));
    });
  });
  addEventListener("keydown", (event) => {
    const field = document.querySelector(".find input");
    if (event.key !== "/" || !field || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    field.focus();
  });
})();
