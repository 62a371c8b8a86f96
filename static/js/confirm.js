// A form that confirms an act: Ctrl Enter (on a Mac ⌘ Enter) does it, Enter alone never,
// wherever the focus is. It is where people begin to type, and the page stays at its top.

const button = document.querySelector("[data-confirms]");
const form = button.form;

function isElsewhere(target) {
  const other = target.closest("form, dialog");
  return other !== null && other !== form;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || isElsewhere(event.target)) {
    return;
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    if (!event.repeat) {
      form.requestSubmit(button);
    }
  } else if (event.target === button || event.target.matches("input")) {
    event.preventDefault();
  }
});

for (const hint of document.querySelectorAll("[data-confirm-keys]")) {
  hint.hidden = false;
}
document.querySelector("[data-focus]")?.focus({ preventScroll: true });
