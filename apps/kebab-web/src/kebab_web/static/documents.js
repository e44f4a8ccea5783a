// The document beside, with the cited place in view.
import { announce, body, byId, choose, fetchNewest, find, findAll, isSplit, parameters, setAddress, word } from "./page.js";

const COPIED_MS = 1200;
const pane = byId("doc");
const [fetchDocument, fetchPart] = [fetchNewest(), fetchNewest()];
const further = new IntersectionObserver((seen) => seen.forEach((each) => each.isIntersecting && addPart(each.target)));

export const findLink = (address) => findAll("a.open").find((each) => each.dataset.d === address);
export const isOpen = () => find("#doc .doc");

if (pane) {
  document.addEventListener("click", onClick);
  toCited();
}
addEventListener("popstate", () => location.hash || location.reload());

function onClick(event) {
  const at = (selector) => event.target.closest(selector);
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const part = at("a[data-into]");
  const more = at("a[data-part]");
  const link = isSplit && at("a.open, .doc-body a.doc-link");
  if (part || more || link) event.preventDefault();
  if (part) showPart(part);
  else if (more) addPart(more);
  else if (link) openDocument(link);
  else if (at("#places button")) goToPlace(+at("button").dataset.step);
  else if (at("#copy, #copy-quote")) copy(at("button"));
  else if (at("#back")) close();
}

export async function openDocument(link) {
  const { d = decodeURIComponent(link.pathname.slice("/d/".length)), c = "" } = link.dataset;
  const found = await fetchDocument("/x/doc", { d, c, q: parameters().get("q") ?? "" });
  if (!found) return;
  const label = document.activeElement.ariaLabel;
  pane.replaceChildren(found);
  body.add("reading");
  body.remove("home");
  setAddress({ d, c }, "pushState");
  choose(link);
  toCited();
  if (label) find(`#doc [aria-label="${label}"]`)?.focus({ preventScroll: true });
}

export function close() {
  body.remove("reading");
  pane.replaceChildren(byId("hollow").content.cloneNode(true));
  choose();
  setAddress({ d: "", c: "" }, "pushState");
  if (location.pathname === "/" && !parameters().get("q")) byId("form").submit();
}

/** Bring the cited place into view, else the beginning. */
async function toCited() {
  watch();
  goToPlace();
  const cited = find("#cited, #doc .cited");
  const picture = find(".page img");
  if (!cited) return pane.scrollTo(0, 0);
  cited.scrollIntoView({ block: "center" });
  if (!picture) return;
  await picture.decode().catch(() => {});
  // The size of a photo is known when it is there.
  find(".photo svg")?.setAttribute("viewBox", `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
  cited.scrollIntoView({ block: "center" });
}

/** Put further results, or a part of a long document, in place of their link. */
async function addPart(link) {
  const { part, take } = link.dataset;
  const found = await fetchNewest()(...part.split("?"));
  if (!found || !link.isConnected) return;
  const added = findAll(take, found);
  const isChosen = link === document.activeElement;
  link.parentElement.replaceWith(...added);
  if (isChosen) added[0]?.querySelector(".hit")?.focus();
  watch();
}

function watch() {
  for (const each of findAll("a[rel=next]", pane)) further.observe(each);
}

/** Open another place that the chosen hit or answer names in this document; without a step say which one is open. */
export function goToPlace(step = 0) {
  const shown = byId("places");
  const chosen = find(".left a.chosen");
  if (!shown || !chosen) return;
  const [name] = chosen.dataset.d.split("#");
  const places = findAll("a.open", chosen.closest("li, .answer")).filter((each) => each.dataset.d.split("#")[0] === name);
  const at = places.indexOf(chosen);
  if (step && places[at + step]) openDocument(places[at + step]);
  shown.hidden = places.length < 2;
  shown.firstElementChild.textContent = `${at + 1}/${places.length}`;
}

async function copy(button) {
  const { address } = button.dataset;
  const marked = findAll(".cited", pane).map((each) => each.textContent.trim()).join("\n");
  const quote = button.id === "copy-quote" && (getSelection().toString().trim() || marked);
  await navigator.clipboard.writeText(quote ? `“${quote}” (${address})` : address);
  const before = button.textContent;
  announce((button.textContent = word("copied")));
  setTimeout(() => (button.textContent = before), COPIED_MS);
}

/** Show what a link leads to in its place on the page, or hide it. */
async function showPart({ dataset, pathname, search }) {
  const place = byId(dataset.into);
  place.replaceChildren((place.firstChild ? undefined : await fetchPart(`/x${pathname}`, search)) ?? "");
}
