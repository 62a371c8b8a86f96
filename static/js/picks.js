// What is picked in a list of sessions stays picked from page to page of one search.
// Without this script, a form of boxes of one page.

const BOXES = ".sessions .pick input";

function bulk() {
  return document.getElementById("bulk");
}

function place() {
  return `stepback.picks:${window.location.pathname}?${bulk().elements.q.value}`;
}

function kept() {
  try {
    return new Set(JSON.parse(window.sessionStorage.getItem(place()) ?? "[]"));
  } catch {
    return new Set();
  }
}

function keep(ids) {
  try {
    window.sessionStorage.setItem(place(), JSON.stringify([...ids]));
  } catch {
    // They are picked on this page alone.
  }
  const here = document.querySelectorAll(`${BOXES}:checked`).length;
  const elsewhere = ids.size - here;
  const words = elsewhere > 0 ? ` (${elsewhere} on other pages)` : "";
  document.getElementById("picked").textContent = ids.size ? `${ids.size} picked${words}` : "The picked";
  bulk().classList.toggle("has-picks", ids.size > 0);
  bulk().querySelector("[data-unpick]").hidden = ids.size === 0;
}

function show() {
  if (!bulk()) {
    return;
  }
  const ids = kept();
  // Of a list that came back with a refusal: what was picked on its other pages.
  for (const field of bulk().querySelectorAll("input[type=hidden][name=session]")) {
    ids.add(field.value);
    field.remove();
  }
  for (const box of document.querySelectorAll(BOXES)) {
    box.checked ||= ids.has(box.value);
    if (box.checked) {
      ids.add(box.value);
    }
  }
  keep(ids);
}

document.addEventListener("change", ({ target }) => {
  if (target.matches(BOXES)) {
    const ids = kept();
    ids[target.checked ? "add" : "delete"](target.value);
    keep(ids);
  }
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-unpick]")) {
    for (const box of document.querySelectorAll(BOXES)) {
      box.checked = false;
    }
    keep(new Set());
  }
});

document.addEventListener("submit", ({ target }) => {
  if (target !== bulk()) {
    return;
  }
  const here = new Set([...document.querySelectorAll(BOXES)].map((box) => box.value));
  for (const id of kept()) {
    if (!here.has(id)) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: "session", value: id });
      target.append(field);
    }
  }
  window.sessionStorage.removeItem(place());
});

document.addEventListener("htmx:afterSwap", show);
show();
