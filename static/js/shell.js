// What every page has: "/" goes to the search, Escape and a click beside it close a menu.
"use strict";

function isTyping(element) {
  return element.isContentEditable || /^(?:input|select|textarea)$/i.test(element.tagName);
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) {
      menu.open = false;
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === "Escape") {
    document.querySelector("details.menu[open] > summary")?.focus();
    closeMenus(null);
  } else if (event.key === "/" && !isTyping(event.target) && !isOff()) {
    const find = document.getElementById("find");
    if (find) {
      event.preventDefault();
      find.focus();
      find.select();
    }
  }
});

document.addEventListener("click", (event) => closeMenus(event.target));

// The shortcuts of the session page can be switched off; this one goes with them.
function isOff() {
  try {
    return window.localStorage.getItem("stepback.keys.off") === "1";
  } catch {
    return false;
  }
}
