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

// A day as the server writes it, but of the reader's zone.
function dayOf(time) {
  const at = new Date(time.dateTime);
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

// What a reader types is of the zone that they read in; the server takes UTC.
function toUtc(text) {
  const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d?:\d\d(?::\d\d(?:\.\d+)?)?))?$/.exec(text.trim());
  if (!found) {
    return text;
  }
  const at = new Date(`${found[1]}T${(found[2] ?? "00:00").padStart(5, "0")}`);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

function write() {
  const local = isLocal();
  for (const zone of document.querySelectorAll("[data-zone]")) {
    zone.textContent = local ? "local" : "UTC";
  }
  for (const time of document.querySelectorAll("time[datetime]")) {
    const exact = time.classList.contains("exact");
    time.dataset.utc ??= exact ? time.textContent : time.title;
    const [first, second] = local
      ? [`${localOf(time)} local`, time.dataset.utc]
      : [time.dataset.utc, `${localOf(time)} local`];
    time.title = `${first} (${second})`;
    if (exact) {
      time.textContent = first;
    } else if (time.classList.contains("day")) {
      time.dataset.day ??= time.textContent;
      time.textContent = local ? dayOf(time) : time.dataset.day;
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
document.addEventListener("submit", (event) => {
  for (const input of event.target.querySelectorAll("[data-moment]")) {
    if (isLocal()) {
      input.value = toUtc(input.value);
    }
  }
});
window.addEventListener("storage", write);
window.addEventListener("pageshow", write);
document.addEventListener("htmx:afterSwap", write);
write();
