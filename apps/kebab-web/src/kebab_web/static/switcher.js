// Quick switcher: documents and pages by name, in a dialog; its page works without it.
import { byId, fetchPart, show } from "./page.js";

const PAUSE_MS = 50;
const COMPOSING = 229;
/** @type {AbortController | undefined} */ let running;
let timer = 0;

const dialog = () => /** @type {HTMLDialogElement} */ (byId("switcher"));
const box = () => /** @type {HTMLInputElement} */ (byId("name"));

export function start() {
  byId("switch")?.addEventListener("click", (event) => (event.preventDefault(), openSwitcher()));
  if (!dialog()) return;
  box().addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(list, PAUSE_MS);
  });
  dialog().addEventListener("keydown", onKey);
  dialog().addEventListener("click", (event) => {
    if (event.target === dialog() || /** @type {Element} */ (event.target).closest("a")) dialog().close();
  });
}

export function openSwitcher() {
  if (dialog().open) return dialog().close();
  box().value = "";
  dialog().showModal();
  list();
}

async function list() {
  running?.abort();
  running = new AbortController();
  try {
    show(byId("names"), await fetchPart(`/x/name?${new URLSearchParams({ q: box().value })}`, running.signal));
    byId("names").querySelector("a")?.classList.add("chosen");
  } catch {
    // a newer list took its place
  }
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.isComposing || event.keyCode === COMPOSING) return;
  const links = [...byId("names").querySelectorAll("a")];
  const at = links.findIndex((each) => each.classList.contains("chosen"));
  if (event.key === "Enter") links[at]?.click();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const next = links[Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), links.length - 1)];
    links[at]?.classList.remove("chosen");
    next?.classList.add("chosen");
    next?.scrollIntoView({ block: "nearest" });
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
