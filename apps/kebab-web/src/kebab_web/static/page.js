// What the modules share: elements, fragments of this server as HTML, and the address of the page.

const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("kebab", { createHTML: (text) => text })
  : { createHTML: (text) => text };

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** Words of the page in its language. @param {string} name */
export const word = (name) => byId("strings")?.dataset[name] ?? "";

/** Show a fragment that this server made. @param {Element} element @param {string} html */
export function show(element, html) {
  element.innerHTML = policy.createHTML(html);
}

/** Fetch a fragment. @param {string} url @param {AbortSignal} [signal] */
export async function fetchPart(url, signal) {
  const response = await fetch(url, { signal, headers: { "X-Kebab": "1" } });
  return response.text();
}

/** The parameters of the page: query, filters, document. */
export const parameters = () => new URLSearchParams(location.search);

/** Change the address of the page. @param {Record<string, string>} changes @param {{push?: boolean}} [how] */
export function setAddress(changes, { push = false } = {}) {
  const given = parameters();
  for (const [name, value] of Object.entries(changes)) value ? given.set(name, value) : given.delete(name);
  const text = given.toString();
  const path = /^\/[as]\//.test(location.pathname) && !changes.q ? location.pathname : "/";
  history[push ? "pushState" : "replaceState"](null, "", path + (text ? `?${text}` : ""));
}

/** Tell a screen reader. @param {string} text */
export function announce(text) {
  const place = byId("say");
  if (place) place.textContent = text;
}
