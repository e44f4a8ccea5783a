// Keys: each presses the element with its `data-key`. While a syllable is composed, the input method has them.
import { announce, byId, chooseNext, fetchNewest, find, isSplit, word } from "./page.js";
import { ask, hidePopover, stop } from "./answers.js";
import { close, goToPlace, isOpen, openDocument } from "./documents.js";
import { move } from "./search.js";

const COMPOSING = 229;
const OFF = "kebab_letters_off";
const [box, letters, name, names, switcher] = ["q", "letters", "name", "names", "switcher"].map(byId);
const fetchNames = fetchNewest();
let before = "";

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === COMPOSING) return;
  const act = switcher.open ? findInSwitcher(event) : findAction(event);
  if (!act) return;
  event.preventDefault();
  act();
});
byId("theme").addEventListener("click", changeTheme);
letters.checked = !localStorage.getItem(OFF);
letters.addEventListener("change", () => localStorage.setItem(OFF, letters.checked ? "" : "1"));
byId("switch").addEventListener("click", (event) => (event.preventDefault(), openSwitcher()));
name.addEventListener("input", list);
switcher.addEventListener("click", ({ target }) => (target === switcher || target.closest("a")) && switcher.close());

/** Return what a key does here; undefined leaves it to the browser. */
function findAction({ altKey, ctrlKey, key, metaKey }) {
  const focus = document.activeElement;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (ctrlKey || metaKey) return { Enter: ask, k: openSwitcher, K: openSwitcher }[key];
  if (altKey) return step && (() => goToPlace(step));
  if (key === "Escape") return find(":popover-open") ? undefined : escape;
  if (focus === box && isSplit && (step || key === "Enter")) return step ? () => move(step) : openChosen;
  if (focus?.closest("input:not([type=checkbox]), textarea, select") || !letters.checked) return undefined;
  const target = find(`[data-key="${CSS.escape(before + key)}"]`);
  before = key === "g" ? key : "";
  if (target) return () => (target === box ? (box.focus(), box.select()) : target.click());
  return { "[": () => history.back(), "]": () => history.forward() }[key];
}

function findInSwitcher({ ctrlKey, key, metaKey }) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step) return () => chooseNext("#names a", step);
  if (key === "Enter") return () => find("#names .chosen")?.click();
  return (ctrlKey || metaKey) && key === "k" && (() => switcher.close());
}

function openSwitcher() {
  name.value = "";
  switcher.showModal();
  list();
}

async function list() {
  const found = await fetchNames("/x/name", { q: name.value });
  if (!found) return;
  names.replaceChildren(found);
  chooseNext("#names a", 1);
}

function openChosen() {
  const link = find(".left a.chosen") ?? find("#hits a.open");
  if (link) openDocument(link);
}

/** One step back: quote, answer, document, box. */
function escape() {
  if (hidePopover() || stop()) return;
  if (isOpen() && isSplit) return close();
  if (!box.value) return;
  box.value = "";
  box.focus();
  box.dispatchEvent(new InputEvent("input"));
}

function changeTheme() {
  const { dataset } = document.documentElement;
  dataset.theme = { dark: "light", light: "" }[dataset.theme] ?? "dark";
  document.cookie = `kebab_theme=${dataset.theme};path=/;max-age=31536000;samesite=strict`;
  announce(word(`theme${dataset.theme}`));
}
