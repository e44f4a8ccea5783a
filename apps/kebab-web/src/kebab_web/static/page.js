// What the modules share: elements, fragments of this server as HTML, and the address of the page.

const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("kebab", { createHTML: (text) => text })
  : { createHTML: (text) => text };

export const byId = (id) => document.getElementById(id);

/** Words of the page in its language. */
export const word = (name) => byId("strings")?.dataset[name] ?? "";

/** Show a fragment that this server made. */
export function show(element, html) {
  element.innerHTML = policy.createHTML(html);
}

/** Fetch a fragment. */
export async function fetchPart(url, signal) {
  const response = await fetch(url, { signal, headers: { "X-Kebab": "1" } });
  return response.text();
}

/** The parameters of the page: query, filters, document. */
export const parameters = () => new URLSearchParams(location.search);

/** Change the address of the page. */
export function setAddress(changes, { push = false } = {}) {
  const given = parameters();
  for (const [name, value] of Object.entries(changes)) value ? given.set(name, value) : given.delete(name);
  const text = given.toString();
  const path = /^\/[as]\//.test(location.pathname) && !changes.q ? location.pathname : "/";
  history[push ? "pushState" : "replaceState"](null, "", path + (text ? `?${text}` : ""));
}

/** Choose a link after or before the chosen one, or the first. */
export function chooseNext(links, step) {
  const at = links.findIndex((each) => each.classList.contains("chosen"));
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  choose(next, links);
  next?.scrollIntoView({ block: "nearest" });
}

/** Mark one link as chosen. */
export function choose(link, links = document.querySelectorAll(".chosen")) {
  for (const each of links) each.classList.remove("chosen");
  link?.classList.add("chosen");
}

/** Tell a screen reader. */
export function announce(text) {
  const place = byId("say");
  if (place) place.textContent = text;
}
