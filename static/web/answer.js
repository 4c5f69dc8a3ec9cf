// Shows an answer with its sources and the facts about how it came to be.

const LINKABLE = new Set(["http:", "https:", "mailto:"]);

export function showAnswer(reply, body) {
  const answer = reply.querySelector(".answer");
  // The server made this HTML from the model's Markdown and sanitised it.
  if (body.response_html) answer.innerHTML = body.response_html;
  else answer.textContent = body.response || "";
  answer.querySelectorAll("table").forEach(letScroll);
  answer.append(...(body.images || []).map(picture));
  showSources(reply.querySelector(".sources"), body.sources || []);
  showFacts(reply.querySelector(".facts"), body);
  offerCopy(reply.querySelector(".copy"), body.response || "");
  reply.querySelector(".reply-foot").hidden = false;
}

// Pictures a tool handed over; the server has checked what they are.
function picture(image) {
  const figure = document.createElement("figure");
  const shown = document.createElement("img");
  shown.src = `data:${image.content_type};base64,${image.base64}`;
  shown.alt = image.name || "Picture from a tool";
  figure.append(shown);
  return figure;
}

function letScroll(table) {
  const frame = document.createElement("div");
  frame.className = "scroll";
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}

function showSources(section, sources) {
  section.querySelector("ol").replaceChildren(...sources.map(sourceItem));
  section.hidden = !sources.length;
}

function sourceItem(source) {
  const item = document.createElement("li");
  const href = linkable(source.url);
  const title = document.createElement(href ? "a" : "span");
  title.className = "source-title";
  title.textContent = source.title || source.ref || "Untitled";
  if (href) Object.assign(title, { href, target: "_blank", rel: "noopener noreferrer" });
  const kind = document.createElement("span");
  kind.className = "source-kind";
  kind.textContent = String(source.kind || "").replaceAll("_", " ");
  item.append(title, kind);
  return item;
}

function linkable(url) {
  try {
    return url && LINKABLE.has(new URL(url).protocol) ? url : null;
  } catch {
    return null;
  }
}

function showFacts(details, body) {
  const usage = body.usage || {};
  const facts = {
    Trace: body.trace_id,
    Conversation: body.thread_key,
    "Model calls": usage.llm_calls,
    Tokens: usage.tokens?.toLocaleString(),
    Cost: typeof usage.cost_usd === "number" ? `$${usage.cost_usd.toFixed(4)}` : undefined,
    Tools: (body.tool_calls || []).map((call) => `${call.name} (${call.success ? "" : "failed, "}${call.duration_ms} ms)`).join(", "),
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  details.querySelector("dl").replaceChildren(...known.flatMap(([name, value]) => [cell("dt", name), cell("dd", value)]));
  details.hidden = !known.length;
}

function cell(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function offerCopy(button, text) {
  button.addEventListener("click", async () => {
    const label = button.textContent;
    button.textContent = (await copied(text)) ? "Copied" : "Select the text to copy it";
    setTimeout(() => (button.textContent = label), 2000);
  });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
