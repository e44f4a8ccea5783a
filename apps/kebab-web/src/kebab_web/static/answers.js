// Asking: an answer is drawn while it is written; citations show their quote on hover and focus.
import { announce, byId, parameters, setAddress, show, word } from "./page.js";

/** @type {{id: string, source: EventSource} | undefined} */ let running;
/** @type {Element | undefined} */ let marker;

export function start() {
  byId("form")?.addEventListener("submit", (event) => {
    if (/** @type {SubmitEvent} */ (event).submitter?.id !== "ask" || !byId("answer")) return;
    event.preventDefault();
    ask();
  });
  document.addEventListener("pointerover", (event) => hover(/** @type {Element} */ (event.target)));
  document.addEventListener("focusin", (event) => hover(/** @type {Element} */ (event.target)));
  globalThis.addEventListener("pagehide", () => stop());
}

/** Ask what is in the box. */
export async function ask() {
  const box = /** @type {HTMLInputElement} */ (byId("q"));
  const question = box.value.trim();
  if (!question) return void box.focus();
  if (!byId("answer")) return void byId("form").requestSubmit(byId("ask"));
  stop();
  const session = byId("form").elements.session?.value;
  if (!session) setAddress({ q: question });
  const place = byId("answer");
  const { section, text } = drawWriting(place);
  const body = parameters();
  body.set("q", question);
  if (session) body.set("session", session);
  const response = await fetch("/x/ask", { method: "POST", body: new URLSearchParams(body), headers: { "X-Kebab": "1" } });
  if (!response.ok) return void show(place, await response.text());
  const { id } = await response.json();
  const source = new EventSource(`/x/ask/${id}`);
  running = { id, source };
  const end = (/** @type {string} */ html) => {
    source.close();
    running = undefined;
    hidePopover();
    if (session) return void location.replace(`${location.pathname}#answer`), location.reload();
    if (!section.isConnected) return;
    show(place, html);
    announce(place.querySelector("h2")?.textContent + ". " + [...place.querySelectorAll(".text")].map((each) => each.textContent).join(" "));
  };
  source.addEventListener("token", (event) => {
    const { text: more, marker: number } = JSON.parse(event.data);
    text.append(number ? ` ${more} ` : more);
  });
  source.addEventListener("final", (event) => end(JSON.parse(event.data).html));
  source.addEventListener("failed", (event) => end(JSON.parse(event.data).html));
  source.addEventListener("end", () => {
    source.close();
    running = undefined;
    section.className = "answer stopped";
    section.querySelector("h2").textContent = `■ ${word("stopped")}`;
  });
}

/** @param {Element} place */
function drawWriting(place) {
  const section = document.createElement("section");
  section.className = "answer writing";
  const head = document.createElement("h2");
  const button = document.createElement("button");
  const text = document.createElement("p");
  head.append(word("reading"));
  button.type = "button";
  button.className = "quiet";
  button.textContent = word("stop");
  button.addEventListener("click", () => stop());
  head.append(button);
  text.className = "written";
  section.append(head, text);
  place.replaceChildren(section);
  place.closest(".left")?.scrollTo({ top: 0 });
  document.body.classList.remove("home");
  return { section, text };
}

export const isWriting = () => Boolean(running);

/** Stop the answer that is written. */
export function stop() {
  if (!running) return;
  fetch(`/x/ask/${running.id}`, { method: "DELETE", keepalive: true, headers: { "X-Kebab": "1" } });
}

/** @param {Element} target */
function hover(target) {
  if (target.closest?.("#popover")) return;
  const link = target.closest?.("a.cite");
  if (link === marker) return;
  if (!link) return void hidePopover();
  const quote = /** @type {HTMLTemplateElement | null} */ (byId(link.dataset.quote));
  if (!quote) return;
  marker = link;
  const popover = byId("popover");
  popover.replaceChildren(quote.content.cloneNode(true));
  popover.hidden = false;
  link.setAttribute("aria-describedby", "popover");
  const at = link.getBoundingClientRect();
  const own = popover.getBoundingClientRect();
  popover.style.left = `${Math.max(16, Math.min(at.left, innerWidth - own.width - 16))}px`;
  popover.style.top = `${at.bottom + own.height + 6 > innerHeight ? at.top - own.height - 6 : at.bottom + 6}px`;
}

export function hidePopover() {
  if (!marker) return false;
  marker.removeAttribute("aria-describedby");
  marker = undefined;
  byId("popover").hidden = true;
  return true;
}
