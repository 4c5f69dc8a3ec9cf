// The tools of one turn, each with its state in words and what it reports on the way.

const STATES = { running: "running", done: "done", failed: "failed", unknown: "outcome unknown", stopped: "stopped" };
const PROGRESS_SHOWN = 6;

export class Checklist {
  #list;
  #items = new Map();

  constructor(list) {
    this.#list = list;
  }

  get size() {
    return this.#items.size;
  }

  show({ id, name, label, status, outcome_unknown: doubted }) {
    const item = this.#item(id);
    item.querySelector(".tool-label").textContent = label || name;
    this.#mark(item, doubted ? "unknown" : status);
  }

  progress({ id, message }) {
    const lines = this.#item(id).querySelector(".tool-progress");
    const line = document.createElement("li");
    line.textContent = message;
    lines.append(line);
    lines.hidden = false;
    while (lines.childElementCount > PROGRESS_SHOWN) lines.firstElementChild.remove();
  }

  // Nothing may look as if it were still running once the turn is over.
  settle() {
    for (const item of this.#items.values()) if (item.dataset.status === "running") this.#mark(item, "stopped");
  }

  summary() {
    const failed = [...this.#items.values()].filter((item) => item.dataset.status === "failed").length;
    const steps = this.size === 1 ? "1 step" : `${this.size} steps`;
    return failed ? `${steps}, ${failed} failed` : steps;
  }

  #item(id) {
    if (!this.#items.has(id)) {
      const item = document.getElementById("tool").content.firstElementChild.cloneNode(true);
      this.#items.set(id, item);
      this.#list.append(item);
      this.#mark(item, "running");
    }
    return this.#items.get(id);
  }

  #mark(item, status) {
    item.dataset.status = Object.hasOwn(STATES, status) ? status : "running";
    item.querySelector(".tool-state").textContent = STATES[item.dataset.status];
  }
}
