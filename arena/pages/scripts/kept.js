// What a reader has chosen, which the browser remembers. It may be set to keep nothing.
export const kept = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
export const keep = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds for this page alone.
  }
};
