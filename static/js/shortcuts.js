// What every script with single keys asks first: may it listen?

const OFF = "stepback.keys.off";

export function isOff() {
  try {
    return window.localStorage.getItem(OFF) === "1";
  } catch {
    return false;
  }
}

export function switchOff(off) {
  window.localStorage.setItem(OFF, off ? "1" : "0");
}

// The box in a dialog that has just closed keeps the focus until the next frame: what is
// pressed meanwhile is not typed into it.
export function isTyping(target) {
  const field = target.closest("input, textarea, select, [contenteditable], dialog[open]");
  return field !== null && field.checkVisibility();
}

export function hasModifier(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}
