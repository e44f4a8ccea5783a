// Keys; each has a button or a link that does the same. Keys belong to the input method while a syllable is composed.
import { announce, byId, parameters, word } from "./page.js";
import { ask, hidePopover, isWriting, stop } from "./answers.js";
import { close, isOpen, openDocument, step } from "./documents.js";
import { move, toggleMode } from "./search.js";
import { openSwitcher } from "./switcher.js";

const COMPOSING = 229;
const PLACES = { l: "/library", a: "/a", h: "/health", s: "/settings" };
const OFF = "kebab_letters_off";
let afterG = false;

const LETTERS = {
  "/": () => (box().focus(), box().select()),
  "?": toggleKeys,
  "[": () => history.back(),
  "]": () => history.forward(),
  d: changeTheme,
  m: toggleMode,
  o: () => byId("open-file")?.click(),
  r: () => byId("related-link")?.click(),
  w: () => byId("why-link")?.click(),
  y: () => byId("copy")?.click(),
  Y: () => byId("copy-quote")?.click(),
};

const box = () => byId("q");

export function start() {
  document.addEventListener("keydown", onKey);
  byId("theme")?.addEventListener("click", changeTheme);
  byId("keys-button")?.addEventListener("click", toggleKeys);
  const letters = byId("letters");
  letters?.addEventListener("change", () => localStorage.setItem(OFF, letters.checked ? "" : "1"));
  if (letters) letters.checked = !localStorage.getItem(OFF);
}

function onKey(event) {
  if (event.isComposing || event.keyCode === COMPOSING || byId("switcher")?.open) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "Enter") return void take(event, ask);
  if (isCommand && event.key.toLowerCase() === "k") return void take(event, openSwitcher);
  if (event.altKey && event.key === "ArrowDown") return void take(event, () => step(1));
  if (event.altKey && event.key === "ArrowUp") return void take(event, () => step(-1));
  if (event.key === "Escape") return void take(event, escape);
  if (document.activeElement === box() && document.body.classList.contains("split")) {
    if (event.key === "ArrowDown") return void take(event, () => move(1));
    if (event.key === "ArrowUp") return void take(event, () => move(-1));
    if (event.key === "Enter") return void take(event, openChosen);
  }
  if (document.activeElement?.closest("input:not([type=checkbox]), textarea, select") || isCommand || event.altKey) return;
  if (localStorage.getItem(OFF)) return;
  if (afterG && event.key in PLACES) return void location.assign(PLACES[event.key]);
  afterG = event.key === "g";
  if (Object.hasOwn(LETTERS, event.key)) take(event, LETTERS[event.key]);
}

function take(event, work) {
  event.preventDefault();
  work();
}

function openChosen() {
  const link = document.querySelector("#answer a.chosen, #hits a.chosen") ?? document.querySelector("#hits a.open");
  if (link) openDocument(link.dataset.d, link);
}

/** One step back: quote, keys, answer, document, box. */
function escape() {
  if (hidePopover()) return;
  if (!byId("keys").hidden) return toggleKeys();
  if (isWriting()) return stop();
  if (isOpen() && document.body.classList.contains("split")) return close();
  if (!box()?.value) return;
  box().value = "";
  box().focus();
  box().dispatchEvent(new InputEvent("input"));
}

function toggleKeys() {
  const keys = byId("keys");
  keys.hidden = !keys.hidden;
  byId("keys-button").setAttribute("aria-expanded", String(!keys.hidden));
}

/** Dark, light, and as the system has it. */
function changeTheme() {
  const root = document.documentElement;
  const next = { "": "dark", dark: "light", light: "" }[root.dataset.theme ?? ""];
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
  document.cookie = `kebab_theme=${next};path=/;max-age=31536000;samesite=strict`;
  announce(word(`theme${next}`));
}
