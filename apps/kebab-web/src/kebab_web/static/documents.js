// The document beside: opened from hits, citations and links, with the cited place in view.
import { announce, body, byId, choose, fetchNewest, find, isSplit, parameters, setAddress, word } from "./page.js";

const COPIED_MS = 1200;
const pane = byId("doc");
const [fetchDocument, fetchRelated] = [fetchNewest(), fetchNewest()];

export const findLink = (address) => [...document.querySelectorAll("a.open")].find((each) => each.dataset.d === address);
export const isOpen = () => Boolean(find("#doc .doc"));

if (pane) {
  document.addEventListener("click", onClick);
  toCited();
}
addEventListener("popstate", () => {
  const { d, c } = Object.fromEntries(parameters());
  if (d) show(d, c);
  else location.reload();
});

function onClick(event) {
  const at = (selector) => event.target.closest(selector);
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const related = at("#related-link");
  const link = isSplit && at("a.open, .doc-body a.doc-link");
  if (related || link) event.preventDefault();
  if (related) showRelated(related);
  else if (link) openDocument(link.dataset.d ?? decodeURIComponent(link.pathname.slice("/d/".length)), link);
  else if (at("#copy, #copy-quote")) copy(at("button"));
  else if (at("#back")) close();
}

/** Open a document beside, at the place that a link leads to. */
export async function openDocument(address, link) {
  const claim = link.dataset.c;
  if (await show(address, claim, link)) setAddress({ d: address, c: claim }, "pushState");
}

async function show(d, c = "", link = findLink(d)) {
  const found = await fetchDocument("/x/doc", { d, c, q: parameters().get("q") ?? "" });
  if (!found) return false;
  pane.replaceChildren(found);
  body.add("reading");
  body.remove("home");
  choose(link);
  toCited();
  return true;
}

/** Close the document. */
export function close() {
  body.remove("reading");
  pane.replaceChildren(byId("hollow").content.cloneNode(true));
  choose();
  setAddress({ d: "", c: "" }, "pushState");
  if (location.pathname === "/" && !parameters().get("q")) location.assign("/");
}

/** Bring the cited place into view, else the beginning. */
async function toCited() {
  const cited = pane.querySelector("#cited, .cited");
  const picture = pane.querySelector(".page img");
  if (!cited) return pane.scrollTo({ top: 0, behavior: "instant" });
  cited.scrollIntoView({ block: "center", behavior: "instant" });
  if (!picture) return;
  await picture.decode().catch(() => {});
  const drawing = pane.querySelector(".photo svg"); // the size of a photo is known when it is there
  drawing?.setAttribute("viewBox", `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
  cited.scrollIntoView({ block: "center" });
}

/** Go to the next or previous cited place of the hit that is open. */
export function goToPlace(step) {
  const chosen = find("a.chosen");
  const places = [...(chosen?.closest("li, .answer")?.querySelectorAll("a.open") ?? [])];
  const next = places[places.indexOf(chosen) + step];
  if (next) openDocument(next.dataset.d, next);
}

/** Copy an address, or what is selected or cited with its address. */
async function copy(button) {
  const { address } = button.dataset;
  const marked = [...pane.querySelectorAll(".cited")].map((each) => each.textContent.trim()).join("\n");
  const quote = button.id === "copy-quote" && (getSelection().toString().trim() || marked);
  await navigator.clipboard.writeText(quote ? `“${quote}” (${address})` : address);
  const before = button.textContent;
  announce((button.textContent = word("copied")));
  setTimeout(() => (button.textContent = before), COPIED_MS);
}

/** Show what is related to the document, or hide it. */
async function showRelated({ pathname, search }) {
  const place = byId("related");
  if (place.firstChild) place.replaceChildren();
  else place.replaceChildren((await fetchRelated(`/x${pathname}`, search)) ?? "");
}
