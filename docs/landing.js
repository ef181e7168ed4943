// To the book in the first language that the reader's browser names and that we have.
const known = (navigator.languages || [])
  .map((tag) => tag.slice(0, 2).toLowerCase())
  .find((tag) => tag === "en" || tag === "zh");
location.replace(`${known || "en"}/index.html`);
