// What every page has: "/" goes to its filter or the search, Escape and a click beside it
// close a menu, forms are sent once, and what was done is said for a while.

import { hasModifier, isOff, isTyping } from "./shortcuts.js";

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) {
      menu.open = false;
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (hasModifier(event)) {
    return;
  }
  if (event.key === "Escape") {
    document.querySelector("details.menu[open] > summary")?.focus();
    closeMenus(null);
  } else if (event.key === "/" && !isTyping(event.target) && !isOff()) {
    const find = document.querySelector("[data-find]") ?? document.getElementById("find");
    if (find) {
      event.preventDefault();
      find.focus();
      find.select();
    }
  }
});

document.addEventListener("click", (event) => closeMenus(event.target));

// A double click sends a form once: what its second answer says is not what was done.
const AGAIN = 3000;
const sent = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") {
    return;
  }
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  window.setTimeout(() => sent.delete(form), AGAIN);
});

// Nobody has to hurry who reads it, or goes for its button.
const SHOWN = 10000;

function fade(toast) {
  let timer = 0;
  const isUsed = () => toast.matches(":hover, :focus-within");
  const go = () => (isUsed() ? wait() : toast.remove());
  function wait() {
    window.clearTimeout(timer);
    timer = window.setTimeout(go, SHOWN);
  }
  for (const left of ["pointerleave", "focusout"]) {
    toast.addEventListener(left, wait);
  }
  const close = toast.querySelector("[data-dismiss]");
  close.hidden = false;
  close.addEventListener("click", () => toast.remove());
  wait();
}

for (const toast of document.querySelectorAll(".toast:not(.in-place)")) {
  fade(toast);
}
