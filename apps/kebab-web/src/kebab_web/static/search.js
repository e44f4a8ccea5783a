// Search while typing: words at once with one request in flight, meaning when the typing rests.
import { afterPause, announce, body, byId, choose, chooseNext, fetchNewest, isSplit, parameters, setAddress } from "./page.js";
import { findLink, isOpen } from "./documents.js";

const COMPOSING_MS = 120;
const PAUSE_MS = 30;
const REST_MS = 350;
const SPEAK_MS = 1000;

const box = byId("q");
const place = byId("hits");
const answer = byId("answer");
const read = () => box.value.trim();
const [fetchWords, fetchBoth, fetchMore] = [fetchNewest(), fetchNewest(), fetchNewest()];
const [startWords, startBoth] = [afterPause(searchWords), afterPause(searchBoth)];
const speak = afterPause(() => announce(byId("status")?.textContent ?? ""));
let drawn = read();
let inFlight = false;
let waiting = false;

if (place && isSplit) {
  box.addEventListener("input", ({ isComposing }) => {
    startWords(isComposing ? COMPOSING_MS : PAUSE_MS);
    fetchBoth();
    startBoth(REST_MS);
  });
  byId("form").addEventListener("submit", (event) => event.submitter?.id === "ask" || event.preventDefault());
  place.addEventListener("click", (event) => {
    const act = { mode: toggleMode, next: addNext }[event.target.id];
    if (!act) return;
    event.preventDefault();
    act(event.target);
  });
  box.setSelectionRange(box.value.length, box.value.length);
}

function describe(stage) {
  const given = parameters();
  for (const name of ["d", "c"]) given.delete(name);
  for (const [name, value] of Object.entries({ q: box.value, stage, unfinished: 1 })) given.set(name, value);
  return given;
}

async function searchWords() {
  const query = read();
  if (!query) return isOpen() || location.assign("/");
  waiting = inFlight;
  if (inFlight) return;
  inFlight = true;
  const found = await fetchWords("/x/hits", describe("words"));
  inFlight = false;
  if (read().startsWith(query)) draw(query, found, ".hits:not(.faint)");
  if (waiting) searchWords();
}

async function searchBoth() {
  const query = read();
  if (!query) return;
  const found = await fetchBoth("/x/hits", describe(parameters().get("m") === "words" ? "words" : "both"));
  if (!found || read() !== query) return;
  draw(query, found, ".hits, .empty, .problem");
  setAddress({ q: query });
  speak(SPEAK_MS);
}

/** Draw a result that has what is wanted; the chosen hit stays chosen. */
function draw(query, found, wanted) {
  if (!found?.querySelector(wanted)) return;
  const chosen = place.querySelector("a.chosen")?.dataset.d;
  place.replaceChildren(found);
  body.remove("home");
  if (![drawn, answer.dataset.question].includes(query) && !answer.querySelector(".writing")) answer.replaceChildren();
  drawn = query;
  if (chosen && findLink(chosen)) choose(findLink(chosen));
}

/** Add the next page of hits to the list. */
async function addNext(link) {
  const found = await fetchMore(...link.dataset.part.split("?"));
  if (!found || !link.isConnected) return;
  const added = found.querySelectorAll(".hits > li");
  if (!added.length) return place.replaceChildren(found);
  place.querySelector(".hits").append(...added);
  link.parentElement.replaceWith(...found.querySelectorAll(".next"));
  added[0].querySelector("a").focus();
}

/** Search by words only, or by meaning too. */
function toggleMode() {
  setAddress({ m: parameters().get("m") === "words" ? "" : "words" });
  searchBoth();
}

/** Choose the next or previous hit. */
export const move = (step) => chooseNext("#answer a.open, #hits a.open:not(.more a)", step);
