// Gives every [data-copies="id"] button its act: copy that element's text.
// The buttons are hidden in the page, so that without JavaScript none is idle.
"use strict";

async function copy(button) {
  const source = document.getElementById(button.dataset.copies);
  const status = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(source.textContent);
    status.textContent = "Copied";
  } catch {
    // No clipboard outside a secure context: leave the text selected instead.
    window.getSelection().selectAllChildren(source);
    status.textContent = "Selected: copy it with the keyboard";
  }
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
