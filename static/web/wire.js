// Talks to the server: a question comes back as a stream of lines, a conversation as a list.

export class Refusal extends Error {
  constructor(message, { code = "unknown", status = 0 } = {}) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

const JSON_BODY = { "Content-Type": "application/json" };

export async function ask(url, question, { signal, onLine }) {
  const response = await reach(url, { method: "POST", headers: JSON_BODY, body: JSON.stringify(question), signal });
  for await (const line of linesOf(response.body)) {
    onLine(line);
    if (line.type === "answer" || line.type === "error") return;
  }
  throw cutOff();
}

export async function conversation(url, { thread, email }) {
  const query = new URLSearchParams({ thread_key: thread });
  if (email) query.set("email", email);
  return (await reach(`${url}?${query}`, {})).json();
}

export function cancel(url, turn) {
  const body = JSON.stringify({ turn_id: turn });
  return fetch(url, { method: "POST", headers: JSON_BODY, body, keepalive: true }).catch(() => undefined);
}

async function reach(url, options) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server cannot be reached. Check your connection, then ask again.", { code: "network" });
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function refusalOf(response) {
  const body = await response.json().catch(() => ({}));
  const message = body?.error?.message || `The server answered with status ${response.status}. Try again in a moment.`;
  return new Refusal(message, { code: body?.error?.code, status: response.status });
}

async function* linesOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(asCutOff);
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split("\n");
      rest = done ? "" : lines.pop();
      yield* lines.filter((line) => line.trim()).map(parsed);
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw cutOff();
  }
}

function asCutOff(error) {
  throw error.name === "AbortError" ? error : cutOff();
}

function cutOff() {
  return new Refusal("The connection broke before the answer arrived.", { code: "cut_off" });
}
