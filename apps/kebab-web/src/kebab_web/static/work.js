// How far reading is, and what keeps files from being found, on every page.
import { byId, show } from "./page.js";

const LOOK_MS = 1000;
let drawn = "";

export function start() {
  if (byId("work")) look(false);
}

async function look(wasRunning) {
  let state;
  try {
    state = await (await fetch("/x/work")).json();
  } catch {
    return;
  }
  const place = byId("work");
  place.hidden = !state.html;
  if (drawn !== state.html) show(place, (drawn = state.html));
  if (state.running) setTimeout(() => look(true), LOOK_MS);
  else if (wasRunning && (location.pathname === "/library" || document.body.classList.contains("start"))) location.reload();
}
