// The document beside: opened from hits, citations and links, with the cited place in view.
import { announce, byId, choose, fetchPart, parameters, setAddress, show, word } from "./page.js";

let running;

export function start() {
  document.addEventListener("click", onClick);
  globalThis.addEventListener("popstate", restore);
  if (document.querySelector(".doc")) toCited();
}

function onClick(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const copied = target.closest("#copy, #copy-quote");
  if (copied) return void copy(copied);
  const related = target.closest("#related-link");
  if (related) return void (event.preventDefault(), showRelated(related.href));
  if (target.closest("#back")) return void close();
  const pane = byId("doc");
  if (!pane || !document.body.classList.contains("split")) return;
  const link = target.closest("a.open, .doc-body a.doc-link");
  if (!link) return;
  event.preventDefault();
  const address = link.dataset.d ?? decodeURIComponent(new URL(link.href).pathname.slice("/d/".length));
  openDocument(address, link);
}

/** Open a document beside. */
export async function openDocument(address, link, { push = true } = {}) {
  const pane = byId("doc");
  const claim = (push ? link?.dataset.c : parameters().get("c")) ?? "";
  running?.abort();
  running = new AbortController();
  try {
    const html = await fetchPart(`/x/doc?${new URLSearchParams({ d: address, c: claim, q: parameters().get("q") ?? "" })}`, running.signal);
    show(pane, html);
  } catch {
    return;
  }
  document.body.classList.add("reading");
  document.body.classList.remove("home");
  if (push) setAddress({ d: address, c: claim }, { push: true });
  choose(link ?? findLink(address));
  toCited();
}

export const findLink = (address) =>
  [...document.querySelectorAll("a.open")].find((each) => each.dataset.d === address) ?? null;

/** Close the document. */
export function close() {
  document.body.classList.remove("reading");
  byId("doc").replaceChildren(byId("hollow").content.cloneNode(true));
  choose(null);
  setAddress({ d: "", c: "" }, { push: true });
  if (!parameters().get("q") && !/^\/[as]\//.test(location.pathname)) location.assign("/");
}

export const isOpen = () => Boolean(document.querySelector("#doc .doc"));

function restore() {
  const address = parameters().get("d");
  if (address) openDocument(address, undefined, { push: false });
  else location.reload();
}

/** Bring the cited place into view, else the beginning. */
function toCited() {
  const pane = byId("doc");
  const cited = pane.querySelector("#cited, .cited");
  if (!cited) return void pane.scrollTo({ top: 0, behavior: "instant" });
  cited.scrollIntoView({ block: "center", behavior: "instant" });
  const picture = pane.querySelector(".page img");
  if (picture?.closest(".photo")) void fit(picture);
  if (picture && !picture.complete) picture.addEventListener("load", () => cited.scrollIntoView({ block: "center" }));
}

/** Lay the rectangles over a picture, whose size is known when it is there. */
async function fit(picture) {
  await picture.decode().catch(() => {});
  picture.parentElement.querySelector("svg")?.setAttribute("viewBox", `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
}

/** Go to the next or previous cited place of the hit that is open. */
export function step(step) {
  const chosen = document.querySelector("a.chosen");
  const item = chosen?.closest("li, .answer");
  const places = item ? [...item.querySelectorAll("a.open")] : [];
  const next = places[places.indexOf(chosen) + step];
  if (next) openDocument(next.dataset.d, next);
}

/** Copy an address, or what is selected or cited with its address. */
async function copy(button) {
  const { address } = button.dataset;
  const selected = getSelection()?.toString().trim();
  const marked = [...byId("doc").querySelectorAll(".cited")].map((each) => each.textContent.trim()).join("\n");
  const quote = selected || marked;
  await navigator.clipboard.writeText(button.id === "copy" || !quote ? address : `“${quote}” (${address})`);
  announce(word("copied"));
  const before = button.textContent;
  button.textContent = word("copied");
  setTimeout(() => (button.textContent = before), 1200);
}

/** Show what is related to the document, or hide it. */
async function showRelated(url) {
  const place = byId("related");
  if (place.firstChild) return void place.replaceChildren();
  show(place, await fetchPart(url.replace("/related", "/x/related")));
}
