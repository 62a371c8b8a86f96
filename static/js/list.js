// j and k move through a list of sessions or keys, as through a timeline; Enter opens,
// x picks.

import { hasModifier, isOff, isTyping } from "./shortcuts.js";

const STEPS = { j: 1, k: -1 };

document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const isPick = event.key === "x";
  if (!(step || isPick) || hasModifier(event) || isOff()) {
    return;
  }
  // Its boxes take no text.
  if (!event.target.matches(".pick input") && isTyping(event.target)) {
    return;
  }
  // The list is swapped when it is searched: look for it anew.
  const links = [...document.querySelectorAll(":is(.sessions, .listed) tbody th a")];
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
