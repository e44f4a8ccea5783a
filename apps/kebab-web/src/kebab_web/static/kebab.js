// Everything here is a convenience over links and forms that work without it.
import { body, byId, parse, send } from "./page.js";
import "./keys.js"; // which brings the other modules

const LOOK_MS = 1000;
const place = byId("work");
let drawn = "";

/** Show how far reading is, and what keeps files from being found. */
async function look(wasRunning) {
  const state = await send("/x/work").then((response) => response.json()).catch(() => undefined);
  if (!state) return;
  place.hidden = !state.html;
  if (drawn !== state.html) place.replaceChildren(parse((drawn = state.html)));
  if (state.running) setTimeout(look, LOOK_MS, true);
  else if (wasRunning && (location.pathname === "/library" || body.contains("start"))) location.reload();
}

document.documentElement.classList.add("scripted");
look(false);
