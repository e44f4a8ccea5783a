// Search while typing: words at once with one request in flight, meaning when the typing rests.
import { announce, byId, fetchPart, parameters, setAddress, show } from "./page.js";
import { choose, findLink, isOpen } from "./documents.js";

const PAUSE_MS = 30;
const COMPOSING_MS = 120;
const REST_MS = 350;
const SPEAK_MS = 1000;

/** @type {HTMLInputElement} */ let box;
let drawn = "";
let inFlight = false;
let waiting = false;
/** @type {AbortController | undefined} */ let both;
/** @type {Record<string, number>} */ const timers = {};

export function start() {
  box = /** @type {HTMLInputElement} */ (byId("q"));
  if (!box || !byId("hits") || !document.body.classList.contains("split")) return;
  drawn = box.value.trim();
  box.addEventListener("input", (event) => onInput(/** @type {InputEvent} */ (event).isComposing));
  byId("form").addEventListener("submit", (event) => {
    if (/** @type {SubmitEvent} */ (event).submitter?.id === "ask") return;
    event.preventDefault();
  });
  byId("hits").addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).id === "mode") (event.preventDefault(), toggleMode());
  });
  const end = box.value.length;
  if (document.activeElement === box) box.setSelectionRange(end, end);
}

/** @param {boolean} composing */
function onInput(composing) {
  const query = box.value.trim();
  later("words", composing ? COMPOSING_MS : PAUSE_MS, searchWords);
  both?.abort();
  if (query) later("both", REST_MS, searchBoth);
  else clearTimeout(timers.both);
}

/** @param {string} name @param {number} ms @param {() => void} work */
function later(name, ms, work) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(work, ms);
}

/** @param {string} stage */
function address(stage) {
  const given = parameters();
  for (const name of ["d", "c"]) given.delete(name);
  given.set("q", box.value);
  given.set("stage", stage);
  given.set("unfinished", "1");
  return `/x/hits?${given}`;
}

async function searchWords() {
  const query = box.value.trim();
  if (!query) return void home();
  if (inFlight) return void (waiting = true);
  inFlight = true;
  try {
    const html = await fetchPart(address("words"));
    if (box.value.trim().startsWith(query)) draw(query, html, { keepsIfEmpty: true });
  } catch {
    // the server is gone; the next letter tries again
  }
  inFlight = false;
  if (waiting) {
    waiting = false;
    searchWords();
  }
}

async function searchBoth() {
  const query = box.value.trim();
  both = new AbortController();
  try {
    const stage = parameters().get("m") === "words" ? "words" : "both";
    const html = await fetchPart(address(stage), both.signal);
    if (box.value.trim() !== query) return;
    draw(query, html, { keepsIfEmpty: false });
    setAddress({ q: query });
    later("speak", SPEAK_MS, () => announce(byId("status")?.textContent ?? ""));
  } catch {
    // a newer search took its place
  }
}

/** @param {string} query @param {string} html @param {{keepsIfEmpty: boolean}} how */
function draw(query, html, { keepsIfEmpty }) {
  const place = byId("hits");
  const chosen = place.querySelector("a.chosen")?.dataset.d;
  const scratch = document.createElement("div");
  show(scratch, html);
  if (!scratch.querySelector(keepsIfEmpty ? ".hits:not(.faint)" : ".hits, .empty, .problem")) return;
  place.replaceChildren(...scratch.childNodes);
  document.body.classList.remove("home");
  if (query !== drawn && byId("answer") && !byId("answer").querySelector(".writing")) byId("answer").replaceChildren();
  drawn = query;
  const link = chosen ? findLink(chosen) : null;
  if (link) choose(link);
}

function home() {
  if (isOpen()) return;
  location.assign("/");
}

/** Search by words only, or by meaning too. */
export function toggleMode() {
  if (!byId("mode")) return;
  setAddress({ m: parameters().get("m") === "words" ? "" : "words" });
  searchBoth();
}

/** Choose the next or previous hit. @param {number} step */
export function move(step) {
  const links = [...document.querySelectorAll("#answer a.open, #hits a.open:not(.more a)")];
  if (!links.length) return;
  const at = links.findIndex((each) => each.classList.contains("chosen"));
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  choose(next);
  next.scrollIntoView({ block: "nearest" });
}
