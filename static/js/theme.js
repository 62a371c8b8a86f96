// Light, dark, or as the system has it: chosen in the header, kept in this browser. It
// is loaded in the head without `defer`, so that no page is painted in the other first.
"use strict";

const THEME = "stepback.theme";

function chosenTheme() {
  try {
    const kept = window.localStorage.getItem(THEME);
    return kept === "light" || kept === "dark" ? kept : "";
  } catch {
    return "";
  }
}

function applyTheme() {
  const theme = chosenTheme();
  if (theme) {
    document.documentElement.dataset.theme = theme;
  } else {
    delete document.documentElement.dataset.theme;
  }
  for (const choice of document.querySelectorAll('#display [name="theme"]')) {
    choice.checked = choice.value === theme;
  }
}

applyTheme();
// A toast goes by itself only where a script takes it away: styled so from the start.
document.documentElement.dataset.scripts = "";
// Another tab chose, or the page comes back as it was left.
window.addEventListener("storage", applyTheme);
window.addEventListener("pageshow", applyTheme);
document.addEventListener("DOMContentLoaded", () => {
  const display = document.getElementById("display");
  if (!display) {
    return;
  }
  display.hidden = false;
  applyTheme();
  display.addEventListener("change", (event) => {
    if (event.target.name !== "theme") {
      return;
    }
    try {
      window.localStorage.setItem(THEME, event.target.value);
    } catch {
      // Nothing can be kept here: the system's choice stays.
    }
    applyTheme();
  });
});
