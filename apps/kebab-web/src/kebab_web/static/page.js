// What the modules share.
const policy = globalThis.trustedTypes?.createPolicy("kebab", { createHTML: (text) => text });

export const byId = (id) => document.getElementById(id);
export const find = (selector) => document.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
export const body = document.body.classList;
/** True where a document opens beside. */
export const isSplit = body.contains("split");
export const word = (name) => byId("strings").dataset[name];
export const parameters = () => new URLSearchParams(location.search);
/** Say whether this server is gone. */
export const lose = (isLost) => (byId("lost").hidden = !isLost);
/** Ask this server, which may be gone, or know this browser no more. */
export async function send(url, options) {
  const response = await fetch(url, { ...options, headers: { "X-Kebab": "1" } }).catch(({ name }) => lose(name !== "AbortError"));
  if (!response) throw new Error(url);
  lose(false);
  if (response.status === 403) location.reload();
  return response;
}

export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = policy?.createHTML(html) ?? html;
  return template.content;
}

/** Make a function that fetches a fragment; a newer fetch or an error gives undefined. */
export function fetchNewest() {
  let running;
  return (url, given) => {
    running?.abort();
    if (!url) return undefined;
    running = new AbortController();
    return send(`${url}?${new URLSearchParams(given)}`, { signal: running.signal })
      .then(async (response) => parse(await response.text()))
      .catch(() => undefined);
  };
}

/** Change the address of the page; without a value a parameter is left out. */
export function setAddress(changes, change = "replaceState") {
  const given = parameters();
  for (const [name, value] of Object.entries(changes)) value ? given.set(name, value) : given.delete(name);
  const path = /^\/[as]\//.test(location.pathname) && !changes.q ? location.pathname : "/";
  history[change](null, "", given.size ? `${path}?${given}` : path);
}

export function choose(link, links = findAll(".chosen")) {
  for (const each of links) each.classList.remove("chosen");
  link?.classList.add("chosen");
}

/** Choose a link after or before the chosen one, or the first. */
export function chooseNext(selector, step) {
  const links = findAll(selector);
  const next = links.findIndex((each) => each.matches(".chosen")) + step;
  const link = links[Math.min(Math.max(next, 0), links.length - 1)];
  choose(link, links);
  link?.scrollIntoView({ block: "nearest" });
}

export const announce = (text) => (byId("say").textContent = text);
