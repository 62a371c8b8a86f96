// j and k move through a list of sessions, as they do through a timeline; Enter opens,
// x picks.

const OFF = "stepback.keys.off";
const STEPS = { j: 1, k: -1 };

function isOff() {
  try {
    return window.localStorage.getItem(OFF) === "1";
  } catch {
    return false;
  }
}

function isTyping(target) {
  return target.closest("input:not([type='checkbox']), textarea, select, [contenteditable], dialog[open]");
}

document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const isPick = event.key === "x";
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (!(step || isPick) || hasModifier || isOff() || isTyping(event.target)) {
    return;
  }
  // The list is swapped when it is searched: look for it anew.
  const links = [...document.querySelectorAll(".sessions tbody th a")];
  const row = document.activeElement.closest?.("tr");
  if (isPick) {
    row?.querySelector(".pick input")?.click();
    return;
  }
  const at = links.findIndex((link) => link.closest("tr") === row);
  const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))];
  event.preventDefault();
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
});
