// The palette that Ctrl-K opens: links, filtered by what is typed. Enter follows the
// first that is left; what is no page and no version is searched for.

const palette = document.getElementById("palette");
const typed = document.getElementById("palette-text");
const versionLink = document.getElementById("palette-version");
const searchLink = document.getElementById("palette-search");

function items() {
  return [...palette.querySelectorAll("li:not([hidden]) :is(a, button)")];
}

// Letters and emoji may be several characters: none is cut in two.
function beginning(text) {
  const letters = [...new Intl.Segmenter().segment(text)].map((one) => one.segment);
  return letters.slice(0, 60).join("");
}

function offerVersion(text) {
  const number = /^v?(0|[1-9][0-9]{0,17})$/i.exec(text)?.[1];
  if (!versionLink) {
    return;
  }
  const known = number !== undefined && BigInt(number) <= BigInt(versionLink.dataset.head);
  versionLink.parentElement.hidden = !known;
  if (known) {
    versionLink.href = `${versionLink.dataset.base}${number}`;
    versionLink.textContent = `v${number} of this session`;
  }
}

function offerSearch(text) {
  searchLink.parentElement.hidden = text === "";
  searchLink.href = `${searchLink.dataset.base}?q=${encodeURIComponent(text)}`;
  searchLink.textContent = `Search sessions, ids and traces for ${beginning(text)}`;
}

// What single keys do on the open page, by the words of its links and buttons. Those of a
// row need one to be chosen first.
function acts() {
  const all = [...document.querySelectorAll("[data-key]")];
  const chosen = all.filter((one) => one.dataset.chosen !== undefined);
  const byKey = new Map();
  for (const one of [...chosen, ...all]) {
    if (!byKey.has(one.dataset.key) && !one.closest(".change, .node, tr, [hidden]")) {
      byKey.set(one.dataset.key, one);
    }
  }
  return byKey;
}

function act(key, target) {
  const words = document.createElement("span");
  const hint = document.createElement("kbd");
  words.textContent = (target.getAttribute("aria-label") ?? target.innerText).trim();
  hint.textContent = key;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "act";
  button.dataset.page = "";
  button.append(words, hint);
  button.addEventListener("click", () => {
    palette.close();
    target.click();
  });
  const item = document.createElement("li");
  item.append(button);
  return item;
}

function offerActs() {
  const place = document.getElementById("palette-acts");
  place.replaceChildren(...[...acts()].map(([key, target]) => act(key, target)));
  place.hidden = place.children.length === 0;
}

function filter() {
  const text = typed.value.trim();
  for (const link of palette.querySelectorAll("[data-page]")) {
    link.parentElement.hidden = !link.textContent.toLowerCase().includes(text.toLowerCase());
  }
  offerVersion(text);
  offerSearch(text);
}

function move(step) {
  const places = [typed, ...items()];
  const at = places.indexOf(document.activeElement);
  places[Math.min(places.length - 1, Math.max(0, at + step))].focus();
}

function open() {
  typed.value = "";
  offerActs();
  filter();
  palette.showModal();
  typed.focus();
}

document.addEventListener("keydown", (event) => {
  const isOurs = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isOurs || event.key.toLowerCase() !== "k") {
    return;
  }
  event.preventDefault();
  if (palette.open) {
    palette.close();
  } else if (!document.querySelector("dialog[open]")) {
    open();
  }
});
palette.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    move(step);
  }
});
typed.addEventListener("input", filter);
palette.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  items()[0]?.click();
});
// A link to a place in this very page leaves the palette open behind it.
palette.addEventListener("click", (event) => {
  if (event.target === palette || event.target.closest("a")) {
    palette.close();
  }
});
