// Single keys for who works without the mouse, on every page of a project. Each does
// what a link or button does; all can be switched off in the list that ? opens.

import { hasModifier, isOff, isTyping, switchOff } from "./shortcuts.js";

const dialog = document.getElementById("keys");
const toggle = document.getElementById("keys-on");
const help = document.getElementById("keys-help");

function rows() {
  const links = [...document.querySelectorAll(".timeline .version-number")];
  return links.filter((link) => link.offsetParent !== null);
}

function move(step) {
  const links = rows();
  const current = document.activeElement.closest?.(".entry")?.querySelector(".version-number");
  const marked = document.querySelector(".entry.is-selected .version-number");
  const at = links.indexOf(links.includes(current) ? current : marked);
  const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

let shown = "";

function change(step) {
  const all = [...document.querySelectorAll(".version-pane .change, .comparison .change")];
  // A button takes the focus from the change it leads on from.
  const here = document.activeElement.closest(".change") ?? document.getElementById(shown);
  const at = all.indexOf(here);
  const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : at + step];
  shown = next?.id ?? shown;
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function press(key) {
  const inside = document.activeElement.closest(".change, .node, .version-pane, .listed tr") ?? document;
  const named = `[data-key="${CSS.escape(key)}"]`;
  const found =
    ("bh".includes(key) && inside.querySelector(named)) ||
    document.querySelector(`${named}[data-chosen]`) ||
    document.querySelector(named);
  found?.click();
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
  g: () => lead(),
  "?": () => dialog.showModal(),
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

document.addEventListener("keydown", (event) => {
  if (hasModifier(event) || isTyping(event.target)) {
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
  if (act) {
    event.preventDefault();
    act();
  } else if ("[]dbrfhszme".includes(event.key) && press(event.key)) {
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
  document.getElementById("side").hidePopover?.();
  dialog.showModal();
});
