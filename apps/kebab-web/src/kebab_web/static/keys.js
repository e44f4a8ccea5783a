// Keys; each has a button or a link that does the same. Keys belong to the input method while a syllable is composed.
import { byId } from "./page.js";
import { ask, hidePopover, isWriting, stop } from "./answers.js";
import { close, isOpen, openDocument, step } from "./documents.js";
import { move } from "./search.js";

const COMPOSING = 229;
const PLACES = { l: "/library", a: "/a", h: "/health", s: "/settings" };
let afterG = false;

export function start() {
  document.addEventListener("keydown", onKey);
  byId("theme")?.addEventListener("click", changeTheme);
  byId("keys-button")?.addEventListener("click", toggleKeys);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.isComposing || event.keyCode === COMPOSING) return;
  const box = /** @type {HTMLInputElement | null} */ (byId("q"));
  const inBox = document.activeElement === box;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return void take(event, ask);
  if (event.altKey && event.key === "ArrowDown") return void take(event, () => step(1));
  if (event.altKey && event.key === "ArrowUp") return void take(event, () => step(-1));
  if (event.key === "Escape") return void take(event, () => escape(box));
  if (inBox && document.body.classList.contains("split")) {
    if (event.key === "ArrowDown") return void take(event, () => move(1));
    if (event.key === "ArrowUp") return void take(event, () => move(-1));
    if (event.key === "Enter") return void take(event, openChosen);
  }
  const field = document.activeElement?.closest("input, textarea, select, [contenteditable]");
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  single(event, box);
}

/** @param {KeyboardEvent} event @param {HTMLInputElement | null} box */
function single(event, box) {
  if (afterG && event.key in PLACES) return void location.assign(PLACES[event.key]);
  afterG = event.key === "g";
  if (event.key === "/") take(event, () => (box.focus(), box.select()));
  else if (event.key === "?") take(event, toggleKeys);
  else if (event.key === "d") changeTheme();
  else if (event.key === "y") byId("copy")?.click();
}

/** @param {KeyboardEvent} event @param {() => void} work */
function take(event, work) {
  event.preventDefault();
  work();
}

function openChosen() {
  const link = document.querySelector("#answer a.chosen, #hits a.chosen") ?? document.querySelector("#hits a.open");
  if (link) openDocument(link.dataset.d, link);
}

/** One step back. @param {HTMLInputElement | null} box */
function escape(box) {
  if (hidePopover()) return;
  if (!byId("keys").hidden) return toggleKeys();
  if (isWriting()) return stop();
  if (isOpen() && document.body.classList.contains("split")) return close();
  if (box?.value) {
    box.value = "";
    box.focus();
    box.dispatchEvent(new InputEvent("input"));
  }
}

function toggleKeys() {
  const keys = byId("keys");
  keys.hidden = !keys.hidden;
  byId("keys-button").setAttribute("aria-expanded", String(!keys.hidden));
}

function changeTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  document.cookie = `kebab_theme=${root.dataset.theme};path=/;max-age=31536000;samesite=strict`;
}
