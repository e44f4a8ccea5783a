// Search while typing: words at once with one request in flight, meaning when the typing rests.
import { announce, byId, choose, chooseNext, fetchPart, parameters, setAddress, show } from "./page.js";
import { findLink, isOpen } from "./documents.js";

const PAUSE_MS = 30;
const COMPOSING_MS = 120;
const REST_MS = 350;
const SPEAK_MS = 1000;

let box;
let drawn = "";
let inFlight = false;
let waiting = false;
let both;
const timers = {};

export function start() {
  box = byId("q");
  if (!box || !byId("hits") || !document.body.classList.contains("split")) return;
  drawn = box.value.trim();
  box.addEventListener("input", (event) => onInput(event.isComposing));
  byId("form").addEventListener("submit", (event) => event.submitter?.id === "ask" || event.preventDefault());
  byId("hits").addEventListener("click", (event) => {
    if (event.target.id === "mode") (event.preventDefault(), toggleMode());
    if (event.target.id === "next") (event.preventDefault(), addNext(event.target));
  });
  box.setSelectionRange(box.value.length, box.value.length);
}

function onInput(composing) {
  const query = box.value.trim();
  later("words", composing ? COMPOSING_MS : PAUSE_MS, searchWords);
  both?.abort();
  if (query) later("both", REST_MS, searchBoth);
  else clearTimeout(timers.both);
}

function later(name, ms, work) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(work, ms);
}

function address(stage) {
  const given = parameters();
  for (const name of ["d", "c", "q"]) given.delete(name);
  return `/x/hits?${given}&${new URLSearchParams({ q: box.value, stage, unfinished: 1 })}`;
}

async function searchWords() {
  const query = box.value.trim();
  if (!query) return void (isOpen() || location.assign("/"));
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

function draw(query, html, { keepsIfEmpty }) {
  const place = byId("hits");
  const chosen = place.querySelector("a.chosen")?.dataset.d;
  const scratch = document.createElement("div");
  show(scratch, html);
  if (!scratch.querySelector(keepsIfEmpty ? ".hits:not(.faint)" : ".hits, .empty, .problem")) return;
  place.replaceChildren(...scratch.childNodes);
  document.body.classList.remove("home");
  const answer = byId("answer");
  if (query !== drawn && answer && query !== answer.dataset.question && !answer.querySelector(".writing")) answer.replaceChildren();
  drawn = query;
  const link = chosen ? findLink(chosen) : null;
  if (link) choose(link);
}

/** Add the next page of hits to the list. */
async function addNext(link) {
  const scratch = document.createElement("div");
  show(scratch, await fetchPart(link.dataset.part));
  if (!link.isConnected) return;
  const added = scratch.querySelectorAll(".hits > li");
  if (!added.length) return void show(byId("hits"), scratch.innerHTML);
  byId("hits").querySelector(".hits").append(...added);
  link.parentElement.replaceWith(...scratch.querySelectorAll(".next"));
  added[0].querySelector("a").focus();
}

/** Search by words only, or by meaning too. */
export function toggleMode() {
  if (!byId("mode")) return;
  setAddress({ m: parameters().get("m") === "words" ? "" : "words" });
  searchBoth();
}

/** Choose the next or previous hit. */
export function move(step) {
  chooseNext([...document.querySelectorAll("#answer a.open, #hits a.open:not(.more a)")], step);
}
