// Remembers which conversation this browser is in, so that a reload comes back to it.

export class Memory {
  #key;
  #kept = {};

  constructor(slug, { askAs }) {
    this.#key = `root.web.${slug}`;
    try {
      this.#kept = JSON.parse(localStorage.getItem(this.#key)) || {};
    } catch {
      // Storage may be switched off; the conversation then lasts as long as the page.
    }
    if (typeof this.#kept.thread !== "string") this.begin(typeof this.#kept.email === "string" ? this.#kept.email : askAs);
  }

  get thread() {
    return this.#kept.thread;
  }

  get email() {
    return this.#kept.email || "";
  }

  get started() {
    return Boolean(this.#kept.started);
  }

  begin(email) {
    this.#keep({ thread: freshId(), email, started: false });
  }

  start() {
    this.#keep({ ...this.#kept, started: true });
  }

  #keep(values) {
    this.#kept = values;
    try {
      localStorage.setItem(this.#key, JSON.stringify(values));
    } catch {
      // As above.
    }
  }
}

// crypto.randomUUID is missing on plain http addresses other than localhost.
export function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
