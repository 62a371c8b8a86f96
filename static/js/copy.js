// Gives every button its act: [data-copies="id"] copies that element's text,
// [data-copy="text"] the text itself,
// which is written as in an address, so that hidden characters stay what they are. The buttons are hidden in the page, so that
// without JavaScript none is idle; those that come later are shown when they come.
"use strict";

function statusOf(button) {
  const next = button.nextElementSibling;
  return next?.getAttribute("role") === "status" ? next : null;
}

function tell(button, words) {
  const status = statusOf(button) ?? document.getElementById("announce");
  if (status) {
    status.textContent = words;
  }
  button.classList.add("done");
  window.setTimeout(() => button.classList.remove("done"), 1500);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copies ?? "");
  const text = source ? source.textContent : decodeURIComponent(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text);
    tell(button, "Copied");
  } catch {
    // No clipboard outside a secure context: leave the text selected instead.
    if (source) {
      window.getSelection().selectAllChildren(source);
      tell(button, "Selected: copy it with the keyboard");
    }
  }
}

function show(root) {
  for (const button of root.querySelectorAll("[data-copies], [data-copy]")) {
    button.hidden = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copies], [data-copy]");
  if (button) {
    copy(button);
  }
});
document.addEventListener("htmx:afterSwap", () => show(document));
show(document);
