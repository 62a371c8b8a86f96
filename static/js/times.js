// Shows exact times in UTC or in the reader's own zone, as chosen in the header and
// kept in this browser. Relative ones stay as they are; their tooltips have both.
// What the server draws, as charts by day and hour, follows a cookie with the zone's name.

const LOCAL = "stepback.times.local";
const ZONE = "stepback_zone";
const YEAR = 31_536_000;
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

// A time of day likewise.
function clockOf(time) {
  const at = new Date(time.dateTime);
  const two = (number) => String(number).padStart(2, "0");
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
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

function keptZone() {
  const found = document.cookie.split("; ").filter((one) => one.startsWith(`${ZONE}=`));
  return found.at(-1)?.slice(ZONE.length + 1) ?? "";
}

// Leave the zone for the server; what it drew for another one is asked for again. A
// browser that keeps no cookies said none, and is shown UTC.
function leaveZone(local) {
  const zone = local ? Intl.DateTimeFormat().resolvedOptions().timeZone : "";
  if (keptZone() !== zone) {
    const secure = window.location.protocol === "https:" ? "; secure" : "";
    const kept = zone ? YEAR : 0;
    document.cookie = `${ZONE}=${zone}; path=/; max-age=${kept}; samesite=lax${secure}`;
  }
  const drawn = document.querySelector("[data-asked-zone]");
  if (drawn && keptZone() === zone && drawn.dataset.askedZone !== zone) {
    window.location.reload();
  }
}

function write() {
  const local = isLocal();
  leaveZone(local);
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
    } else if (time.classList.contains("clock")) {
      time.dataset.clock ??= time.textContent;
      time.textContent = local ? clockOf(time) : time.dataset.clock;
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
