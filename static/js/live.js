// Follows a running session by asking, politely: what is unchanged answers 304, what is
// over 286. New versions wait behind a pill; nothing under the cursor moves.

const EVERY = 3000;
const SLOWEST = 60000;
const place = document.getElementById("live");
const news = document.getElementById("live-news");
const button = document.getElementById("live-toggle");

let tag = "";
let wait = EVERY;
let timer = 0;
let following = true;

function later() {
  window.clearTimeout(timer);
  if (following) {
    timer = window.setTimeout(ask, wait);
  }
}

function say(words) {
  const line = document.createElement("span");
  line.className = "live-state";
  line.textContent = words;
  const pill = news.querySelector(".pill");
  news.replaceChildren(...(pill ? [pill] : []), line);
}

async function ask() {
  if (document.hidden) {
    later();
    return;
  }
  try {
    const answer = await fetch(`${place.dataset.live}?since=${place.dataset.since}`, {
      headers: { "HX-Request": "true", "If-None-Match": tag },
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(10000),
    });
    const told = await answer.text();
    // Stopped while it was asked: what is said stays said.
    if (!following) {
      return;
    }
    if (answer.status !== 304) {
      if (!answer.ok) {
        throw new Error(String(answer.status));
      }
      tag = answer.headers.get("ETag") ?? "";
      news.innerHTML = told;
    } else if (wait !== EVERY) {
      say("following");
    }
    wait = EVERY;
    if (answer.status === 286) {
      following = false;
      button.hidden = true;
      return;
    }
  } catch {
    if (!following) {
      return;
    }
    wait = Math.min(wait * 2, SLOWEST);
    say(`connection lost: trying again in ${Math.round(wait / 1000)} s`);
  }
  later();
}

function toggle() {
  following = !following;
  button.textContent = following ? "Stop following" : "Follow";
  if (following) {
    wait = EVERY;
    ask();
  } else {
    window.clearTimeout(timer);
    say("not following");
  }
}

if (place) {
  button.hidden = false;
  button.addEventListener("click", toggle);
  ask();
}
