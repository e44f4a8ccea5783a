// Answers while they are written, and quotes of citations on hover and focus.
import { announce, body, byId, findAll, lose, parse, send, setAddress, word } from "./page.js";

const form = byId("form");
const place = byId("answer");
const popover = byId("popover");
let running;
let marker;

form.addEventListener("submit", (event) => {
  if (event.submitter?.id !== "ask" || !place) return;
  event.preventDefault();
  ask();
});
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, ({ target }) => hover(target));
document.addEventListener("click", hidePopover);
addEventListener("pagehide", stop);

export async function ask() {
  const { q, session } = form.elements;
  const question = q.value.trim();
  if (!question) return q.focus();
  if (!place) return form.requestSubmit(byId("ask"));
  stop();
  if (!session) setAddress({ q: question, a: "" });
  place.dataset.question = question; // hits of it that come later leave the answer in its place
  const section = drawWriting();
  const given = new URLSearchParams(new FormData(form));
  const response = await send("/x/ask", { method: "POST", body: given }).catch(() => undefined);
  if (!response) return section.remove();
  if (!response.ok) return place.replaceChildren(parse(await response.text()));
  running = (await response.json()).id;
  const source = new EventSource(`/x/ask/${running}`);
  const listen = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
  const close = () => (source.close(), (running = undefined));
  const end = ({ html, trace }) => {
    close();
    hidePopover();
    if (session) return location.replace(`${location.pathname}#answer`), location.reload();
    if (!section.isConnected) return;
    place.replaceChildren(parse(html));
    setAddress({ a: trace });
    announce(findAll("h2, .text", place).map((each) => each.textContent).join(". "));
  };
  source.onerror = () => lose(true);
  source.onopen = () => (lose(false), section.lastElementChild.replaceChildren()); // all comes again
  listen("token", ({ text, marker: number }) => section.lastElementChild.append(number ? ` ${text} ` : text));
  listen("final", end);
  listen("failed", end);
  listen("end", () => {
    close();
    section.className = "answer stopped";
    section.firstElementChild.textContent = `■ ${word("stopped")}`;
  });
}

function drawWriting() {
  place.replaceChildren(byId("writing").content.cloneNode(true));
  place.querySelector("button").addEventListener("click", stop);
  place.closest(".left").scrollTo(0, 0);
  body.remove("home");
  return place.firstElementChild;
}

export function stop() {
  if (running) send(`/x/ask/${running}`, { method: "DELETE", keepalive: true });
  return running;
}

function hover(target) {
  const link = target.closest?.("a.cite");
  if (link === marker || target.closest?.("#popover")) return;
  hidePopover();
  const quote = link && byId(link.dataset.quote);
  if (!quote) return;
  marker = link;
  link.setAttribute("aria-describedby", "popover");
  popover.replaceChildren(quote.content.cloneNode(true));
  popover.hidden = false;
  const { left, top, bottom } = link.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  popover.style.left = `${Math.max(16, Math.min(left, innerWidth - width - 16))}px`;
  popover.style.top = `${bottom + height + 6 > innerHeight ? top - height - 6 : bottom + 6}px`;
}

export function hidePopover() {
  if (!marker) return false;
  marker.removeAttribute("aria-describedby");
  marker = undefined;
  return (popover.hidden = true);
}
