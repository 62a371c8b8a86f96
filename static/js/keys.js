// Single keys for who works without the mouse, on every page. Each does what a link or
// button does; all can be switched off in the list that ? opens, which has those alone
// that do something on the open page.

import { hasModifier, isOff, isTyping, switchOff } from "./shortcuts.js";

const dialog = document.getElementById("keys");
const toggle = document.getElementById("keys-on");
const help = document.getElementById("keys-help");
// What j and k move through: the first of these that a page has.
const LISTS = [
  ".timeline .version-number",
  ".message .version-number",
  "main :is(tbody tr, .home li, .projects li, .picks-list li)",
];
const ROW = ".entry, .message, tr, li";

function linkOf(one) {
  return one.matches("a") ? one : (one.querySelector("th a") ?? one.querySelector("a[href]"));
}

// Lists are swapped when they are searched: looked for anew each time.
function links() {
  for (const list of LISTS) {
    const found = [...document.querySelectorAll(list)].map(linkOf);
    const seen = found.filter((link) => link?.checkVisibility());
    if (seen.length) {
      return seen;
    }
  }
  return [];
}

function move(step) {
  const all = links();
  const here = document.activeElement.closest(ROW);
  const current = all.findIndex((link) => link.closest(ROW) === here);
  const at = current === -1 ? all.findIndex((link) => link.closest(".is-selected")) : current;
  const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function pick() {
  document.activeElement.closest("tr")?.querySelector(".pick input")?.click();
}

let shown = "";

function change(step) {
  const all = [...document.querySelectorAll(".version-pane .change, .comparison .change, [data-conflict]")];
  // A button takes the focus from the change it leads on from.
  const here = document.activeElement.closest(".change, [data-conflict]") ?? document.getElementById(shown);
  const at = all.indexOf(here);
  const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : at + step];
  shown = next?.id ?? shown;
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function press(key) {
  // Only the conflict that has the focus is chosen by a key.
  const choice = document.activeElement.closest("[data-conflict]")?.querySelector(`[data-pick="${CSS.escape(key)}"]`);
  if (choice) {
    choice.click();
    return true;
  }
  const inside = document.activeElement.closest(".change, .node, .version-pane, main tr") ?? document;
  const named = `[data-key="${CSS.escape(key)}"]`;
  const found =
    document.querySelector(`${named}[data-trial]`) ||
    ("bh".includes(key) && inside.querySelector(named)) ||
    document.querySelector(`${named}[data-chosen]`) ||
    document.querySelector(named);
  if (found) {
    // What was swapped in a moment ago may not be bound yet: its link would leave the page.
    window.htmx?.process(found);
    found.click();
  }
  return Boolean(found);
}

const acts = {
  j: () => move(1),
  k: () => move(-1),
  n: () => change(1),
  p: () => change(-1),
  v: () => document.getElementById("id_go")?.focus(),
  i: () => document.querySelector(".life a[aria-current]")?.focus(),
  w: () => document.getElementById("live-toggle")?.click(),
  x: pick,
  g: () => press("g") || lead(),
  "?": () => tell(),
};

// After "g" the next key names a page.
const PATIENCE = 1500;
let leading = 0;

function lead() {
  window.clearTimeout(leading);
  leading = window.setTimeout(() => {
    leading = 0;
  }, PATIENCE);
}

function go(key) {
  window.clearTimeout(leading);
  leading = 0;
  document.querySelector(`.side [data-go="${CSS.escape(key)}"]`)?.click();
}

// A number of the open session: typed anywhere, Enter goes there, r shows what rolling
// back to it would do. So any of 99,999 versions has its preview within 6 keys.
function type(digit) {
  const field = document.getElementById("id_go");
  field.value = digit;
  field.focus();
}

function leadBack(event) {
  const { back, head } = event.target.dataset;
  const number = /^v?([0-9]{1,15})$/.exec(event.target.value.trim())?.[1];
  if (event.key === "r" && back && number && Number(number) <= Number(head)) {
    event.preventDefault();
    window.location.href = `${back}${Number(number)}/rollback`;
  }
}

// In the list, `key:r` is what the key presses, and `!` goes before what must not be.
function has(keys) {
  const where = keys
    .replace(/key:(.)/g, '[data-key="$1"]')
    .replace(/!(\S+)/g, ":root:not(:has([$1]))");
  if (keys === "rows") return links().length > 0;
  // By eye, `g` says that a version is right.
  if (keys === "nav") return !document.querySelector("[data-trial]");
  return document.querySelector(where) !== null;
}

function tell() {
  for (const one of dialog.querySelectorAll("[data-for]")) {
    one.hidden = !has(one.dataset.for);
  }
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  // The box of a row takes no text.
  const isBox = event.target.matches("tr .pick input");
  if (event.target.id === "id_go" && !hasModifier(event) && !isOff()) {
    leadBack(event);
  }
  if (hasModifier(event) || (!isBox && isTyping(event.target))) {
    return;
  }
  if (isOff() && event.key !== "?") {
    return;
  }
  if (leading) {
    event.preventDefault();
    go(event.key);
    return;
  }
  const act = acts[event.key];
  if (/^[0-9]$/.test(event.key) && document.querySelector(".timeline-pane #id_go")) {
    event.preventDefault();
    type(event.key);
  } else if (act) {
    event.preventDefault();
    act();
  } else if (event.key.length === 1 && event.key !== " " && press(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button) {
    change(Number(button.dataset.step));
  }
});

function showSteps() {
  shown = "";
  for (const steps of document.querySelectorAll("[data-changes]")) {
    steps.hidden = false;
  }
}

document.addEventListener("htmx:afterSwap", showSteps);
showSteps();

toggle.checked = !isOff();
toggle.addEventListener("change", () => {
  try {
    switchOff(!toggle.checked);
  } catch {
    toggle.checked = true;
  }
});
help.hidden = false;
help.addEventListener("click", () => {
  document.getElementById("side")?.hidePopover();
  tell();
});
