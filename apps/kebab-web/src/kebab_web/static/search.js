// Search while typing: words at once with one request in flight, meaning when the typing rests.
import { announce, body, byId, choose, chooseNext, fetchNewest, parameters, setAddress } from "./page.js";
import { findLink, isOpen } from "./documents.js";

const [COMPOSING_MS, PAUSE_MS, REST_MS, SPEAK_MS] = [120, 30, 350, 1000];
const box = byId("q");
const place = byId("hits");
const answer = byId("answer");
const [fetchWords, fetchBoth] = [fetchNewest(), fetchNewest()];
const timers = {};
const read = () => box.value.trim();
let drawn = read();
let inFlight = false;
let waiting = false;

if (place) {
  box.addEventListener("input", ({ isComposing }) => {
    later("words", isComposing ? COMPOSING_MS : read() ? PAUSE_MS : SPEAK_MS, searchWords);
    fetchBoth();
    later("both", REST_MS, searchBoth);
  });
  box.setSelectionRange(box.value.length, box.value.length);
}

function later(name, ms, work) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(work, ms);
}

function search(fetchStage, stage) {
  return fetchStage("/x/hits", [...parameters(), ["q", box.value], ["stage", stage], ["unfinished", 1]]);
}

async function searchWords() {
  const query = read();
  if (!query) return isOpen() || byId("form").submit();
  waiting = inFlight;
  if (inFlight) return;
  inFlight = true;
  const found = await search(fetchWords, "words");
  inFlight = false;
  if (read().startsWith(query)) draw(query, found, ".hits:not(.faint)");
  if (waiting) searchWords();
}

async function searchBoth() {
  const query = read();
  if (!query) return;
  const found = await search(fetchBoth, parameters().get("m") ?? "both");
  if (!found || read() !== query) return;
  draw(query, found, ".hits, .empty, .problem");
  setAddress({ q: query });
  later("speak", SPEAK_MS, () => announce(byId("status").textContent));
}

/** Draw a result that has what is wanted. */
function draw(query, found, wanted) {
  if (!found?.querySelector(wanted)) return;
  const chosen = place.querySelector("a.chosen")?.dataset.d;
  place.replaceChildren(found);
  body.remove("home");
  if (![drawn, answer.dataset.question].includes(query) && !answer.querySelector(".writing")) setAddress({ a: answer.replaceChildren() });
  drawn = query;
  if (chosen && findLink(chosen)) choose(findLink(chosen));
}

export const move = (step) => chooseNext("#answer a.open, #hits a.open:not(.more a)", step);
