// Quick switcher: documents and pages by name, in a dialog; its page works without it.
import { byId, chooseNext, fetchPart, show } from "./page.js";

const PAUSE_MS = 50;
const COMPOSING = 229;
let running;
let timer = 0;

const dialog = () => byId("switcher");
const box = () => byId("name");

export function start() {
  byId("switch")?.addEventListener("click", (event) => (event.preventDefault(), openSwitcher()));
  if (!dialog()) return;
  box().addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(list, PAUSE_MS);
  });
  dialog().addEventListener("keydown", onKey);
  dialog().addEventListener("click", (event) => {
    if (event.target === dialog() || event.target.closest("a")) dialog().close();
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
    chooseNext([...byId("names").querySelectorAll("a")], 1);
  } catch {
    // a newer list took its place
  }
}

function onKey(event) {
  if (event.isComposing || event.keyCode === COMPOSING) return;
  const links = [...byId("names").querySelectorAll("a")];
  if (event.key === "Enter") links.find((each) => each.classList.contains("chosen"))?.click();
  else if (event.key === "ArrowDown") chooseNext(links, 1);
  else if (event.key === "ArrowUp") chooseNext(links, -1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
