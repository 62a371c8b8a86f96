// What every page has: "/" goes to its filter or the search, Escape and a click beside it close a menu.

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
