// Asking: an answer is drawn while it is written; citations show their quote on hover and focus.
import { announce, byId, parameters, setAddress, show, word } from "./page.js";

let running;
let marker;

export function start() {
  byId("form")?.addEventListener("submit", (event) => {
    if (event.submitter?.id !== "ask" || !byId("answer")) return;
    event.preventDefault();
    ask();
  });
  document.addEventListener("pointerover", (event) => hover(event.target));
  document.addEventListener("focusin", (event) => hover(event.target));
  globalThis.addEventListener("pagehide", stop);
}

/** Ask what is in the box. */
export async function ask() {
  const box = byId("q");
  const question = box.value.trim();
  if (!question) return void box.focus();
  if (!byId("answer")) return void byId("form").requestSubmit(byId("ask"));
  stop();
  const session = byId("form").elements.session?.value;
  if (!session) setAddress({ q: question });
  const place = byId("answer");
  place.dataset.question = question; // hits of it that come later leave the answer in its place
  const section = drawWriting(place);
  const body = parameters();
  body.set("q", question);
  if (session) body.set("session", session);
  const response = await fetch("/x/ask", { method: "POST", body: new URLSearchParams(body), headers: { "X-Kebab": "1" } }).catch(() => undefined);
  if (!response) return drawStopped(section);
  if (!response.ok) return void show(place, await response.text());
  const { id } = await response.json();
  const source = new EventSource(`/x/ask/${id}`);
  const listen = (name, work) => source.addEventListener(name, (event) => work(JSON.parse(event.data)));
  const close = () => (source.close(), (running = undefined));
  const end = ({ html }) => {
    close();
    hidePopover();
    if (session) return void location.replace(`${location.pathname}#answer`), location.reload();
    if (!section.isConnected) return;
    show(place, html);
    announce([...place.querySelectorAll("h2, .text")].map((each) => each.textContent).join(". "));
  };
  running = id;
  listen("token", ({ text, marker: number }) => section.lastElementChild.append(number ? ` ${text} ` : text));
  listen("final", end);
  listen("failed", end);
  listen("end", () => (close(), drawStopped(section)));
}

function drawStopped(section) {
  section.className = "answer stopped";
  section.firstElementChild.textContent = `■ ${word("stopped")}`;
}

/** Show that an answer is being written, and return its section. */
function drawWriting(place) {
  place.replaceChildren(byId("writing").content.cloneNode(true));
  place.querySelector("button").addEventListener("click", stop);
  place.closest(".left")?.scrollTo({ top: 0 });
  document.body.classList.remove("home");
  return place.firstElementChild;
}

export const isWriting = () => Boolean(running);

/** Stop the answer that is written. */
export function stop() {
  if (running) fetch(`/x/ask/${running}`, { method: "DELETE", keepalive: true, headers: { "X-Kebab": "1" } });
}

function hover(target) {
  if (target.closest?.("#popover")) return;
  const link = target.closest?.("a.cite");
  if (link === marker) return;
  if (!link) return void hidePopover();
  const quote = byId(link.dataset.quote);
  if (!quote) return;
  marker = link;
  const popover = byId("popover");
  popover.replaceChildren(quote.content.cloneNode(true));
  popover.hidden = false;
  link.setAttribute("aria-describedby", "popover");
  const { left, top, bottom } = link.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  popover.style.left = `${Math.max(16, Math.min(left, innerWidth - width - 16))}px`;
  popover.style.top = `${bottom + height + 6 > innerHeight ? top - height - 6 : bottom + 6}px`;
}

export function hidePopover() {
  if (!marker) return false;
  marker.removeAttribute("aria-describedby");
  marker = undefined;
  byId("popover").hidden = true;
  return true;
}
