// Shows exact times in UTC or in the reader's own zone, as chosen in the header and
// kept in this browser. Relative ones stay as they are; their tooltips have both.

const LOCAL = "stepback.times.local";
const display = document.getElementById("display");

function isLocal() {
  try {
    return window.localStorage.getItem(LOCAL) === "1";
  } catch {
    return false;
  }
}

function localOf(time) {
  const at = new Date(time.dateTime);
  return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

function write() {
  const local = isLocal();
  for (const time of document.querySelectorAll("time[datetime]")) {
    const exact = time.classList.contains("exact");
    time.dataset.utc ??= exact ? time.textContent : time.title;
    const [first, second] = local
      ? [`${localOf(time)} local`, time.dataset.utc]
      : [time.dataset.utc, `${localOf(time)} local`];
    time.title = `${first} (${second})`;
    if (exact) {
      time.textContent = first;
    }
  }
  for (const choice of display.querySelectorAll('[name="times"]')) {
    choice.checked = (choice.value === "local") === local;
  }
}

display.addEventListener("change", (event) => {
  if (event.target.name !== "times") {
    return;
  }
  try {
    window.localStorage.setItem(LOCAL, event.target.value === "local" ? "1" : "0");
  } catch {
    // Nothing can be kept here: the times stay in UTC.
  }
  write();
});
window.addEventListener("storage", write);
window.addEventListener("pageshow", write);
document.addEventListener("htmx:afterSwap", write);
write();
