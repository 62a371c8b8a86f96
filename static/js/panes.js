// Keeps the two panes of a session's page in step: which row is open, where the focus
// is, what a narrow screen shows. The swapping itself is htmx's.

const panes = document.querySelector(".panes");

function mark(number) {
  for (const row of panes.querySelectorAll(".entry.is-selected")) {
    row.classList.remove("is-selected");
    row.querySelector("[aria-current]")?.removeAttribute("aria-current");
  }
  const row = document.getElementById(`v${number}`);
  if (!row) {
    return;
  }
  row.classList.add("is-selected");
  row.querySelector(".version-number")?.setAttribute("aria-current", "true");
  const fold = row.closest("details");
  if (fold) {
    fold.open = true;
  }
  row.scrollIntoView({ block: "nearest" });
}

function scrub(number) {
  const range = document.getElementById("scrub");
  if (range && document.activeElement !== range) {
    range.value = number;
    range.nextElementSibling.textContent = `v${number}`;
  }
}

document.addEventListener("htmx:afterSwap", (event) => {
  const pane = document.getElementById("version-pane");
  if (event.detail.target.id === "blame") {
    event.detail.target.firstElementChild?.focus({ preventScroll: true });
    event.detail.target.scrollIntoView({ block: "nearest" });
    return;
  }
  if (event.detail.target.id !== "version-pane" || !pane) {
    return;
  }
  panes.dataset.view = "version";
  mark(pane.dataset.number);
  scrub(pane.dataset.number);
  const announce = document.getElementById("announce");
  announce.textContent = document.getElementById("version-title").textContent.trim();
  // A tab that was used stays under the hand; a row keeps the focus it had.
  const used = event.detail.requestConfig?.elt;
  const again = used?.closest(".tabs")
    ? pane.querySelector('.tabs [aria-current="page"]')
    : null;
  again?.focus({ preventScroll: true });
  if (window.matchMedia("(max-width: 900px)").matches) {
    pane.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
});

// Something went wrong: the page itself says what, so open it as a page.
document.addEventListener("htmx:responseError", (event) => {
  window.location.href = event.detail.pathInfo.requestPath;
});

const opened = document.querySelector(".entry.is-selected");
if (opened && panes.dataset.view === "version") {
  opened.scrollIntoView({ block: "nearest" });
}

// What a version on the life line did is said below it, on focus as under the pointer.
function tell(event) {
  const node = event.target.closest?.(".life a");
  if (node) {
    document.getElementById("life-told").textContent = node.getAttribute("aria-label");
  }
}

document.addEventListener("focusin", tell);
document.addEventListener("pointerover", tell);
