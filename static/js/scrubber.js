// Steps through the versions of a session by a slider: the pane follows at once, and
// the address keeps the timeline's filter.

const scrubber = document.getElementById("scrubber");
const range = document.getElementById("scrub");

let timer = 0;

function open(number) {
  const where = `${range.dataset.base}${number}${window.location.search}`;
  window.htmx.ajax("GET", where, { target: "#version-pane", swap: "outerHTML" });
  window.history.replaceState(window.history.state, "", where);
}

scrubber.hidden = false;
range.addEventListener("input", () => {
  range.nextElementSibling.textContent = `v${range.value}`;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => open(range.value), 80);
});
