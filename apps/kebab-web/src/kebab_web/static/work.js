// How far reading is, on every page while it runs.
import { byId } from "./page.js";

const LOOK_MS = 1000;

export function start() {
  if (byId("work")) look(false);
}

/** @param {boolean} wasRunning */
async function look(wasRunning) {
  let state;
  try {
    state = await (await fetch("/x/work")).json();
  } catch {
    return;
  }
  const place = byId("work");
  place.hidden = !state.running;
  if (place.textContent !== state.text) place.textContent = state.text;
  if (state.running) setTimeout(() => look(true), LOOK_MS);
  else if (wasRunning && (location.pathname === "/library" || document.body.classList.contains("start"))) location.reload();
}
