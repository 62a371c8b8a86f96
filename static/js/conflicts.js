// A conflict of a merge: picking "a value" opens its field, which begins with what is
// here, and typing into it picks it. Keys are those of keys.js.

document.addEventListener("change", ({ target }) => {
  if (target.matches('[data-pick="e"]')) {
    const details = target.closest("details");
    const field = details.querySelector("textarea");
    details.open = true;
    field.value ||= field.dataset.here;
    field.focus();
  }
});

document.addEventListener("input", ({ target }) => {
  if (target.matches("textarea[data-here]")) {
    target.closest("details").querySelector("[data-pick]").checked = true;
  }
});
