// Shows exact times in UTC or in the reader's own zone, as they choose; relative ones
// stay as they are and carry both.

const LOCAL = "stepback.times.local";
const button = document.getElementById("times-toggle");

function isLocal() {
  try {
    return window.localStorage.getItem(LOCAL) === "1";
  } catch {
    return false;
  }
}

function write() {
  const local = isLocal();
  button.textContent = local ? "UTC times" : "Local times";
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.dataset.utc ??= time.title;
    time.title = `${time.dataset.utc} (local ${at.toLocaleString()})`;
  }
  for (const exact of document.querySelectorAll(".when .hint")) {
    const time = exact.parentElement.querySelector("time");
    exact.dataset.utc ??= exact.textContent;
    exact.textContent = local ? new Date(time.dateTime).toLocaleString() : exact.dataset.utc;
  }
}

button.hidden = false;
button.addEventListener("click", () => {
  try {
    window.localStorage.setItem(LOCAL, isLocal() ? "0" : "1");
  } catch {
    return;
  }
  write();
});
document.addEventListener("htmx:afterSwap", write);
write();
