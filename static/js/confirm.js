// A form that confirms an act: Ctrl Enter (on a Mac ⌘ Enter) does it, Enter alone never,
// wherever the focus is. It is where people begin to type, and the page stays at its top.
// It may come later than the page, when what it confirms has been looked at.

function confirms() {
  return document.querySelector("[data-confirms]");
}

function isElsewhere(target, form) {
  const other = target.closest("form, dialog");
  return other !== null && other !== form;
}

document.addEventListener("keydown", (event) => {
  const button = confirms();
  if (event.key !== "Enter" || event.isComposing || !button || isElsewhere(event.target, button.form)) {
    return;
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    if (!event.repeat) {
      button.form.requestSubmit(button);
    }
  } else if (event.target === button || event.target.matches("input")) {
    event.preventDefault();
  }
});

function begin() {
  for (const hint of document.querySelectorAll("[data-confirm-keys]")) {
    hint.hidden = false;
  }
  document.querySelector("[data-focus]")?.focus({ preventScroll: true });
}

function beginLate() {
  if (confirms()) {
    document.removeEventListener("htmx:afterSettle", beginLate);
    begin();
  }
}

if (confirms()) {
  begin();
} else {
  document.addEventListener("htmx:afterSettle", beginLate);
}
