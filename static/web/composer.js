// The message box: Enter sends, Shift+Enter adds a line, Escape stops.

export class Composer {
  #form = document.getElementById("composer");
  #message = document.getElementById("message");
  #email = document.getElementById("email");
  #send = document.getElementById("send");
  #words = document.getElementById("send-words");
  #note = document.getElementById("note");
  #running = false;
  #person = "";

  constructor({ onSend, onStop, onPerson }) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#running) onStop();
      else if (this.#personIsFine(onPerson)) this.#submit(onSend);
    });
    this.#message.addEventListener("keydown", (event) => {
      // While an input method composes a character, Enter belongs to it.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (this.#running) this.note("One question at a time: wait for the answer, or stop it with Escape.");
      else this.#form.requestSubmit();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#running) onStop();
    });
    this.#email.addEventListener("change", () => this.#personIsFine(onPerson));
    this.#message.addEventListener("input", () => this.#grow());
  }

  set running(value) {
    this.#running = value;
    this.#send.toggleAttribute("data-running", value);
    this.#words.textContent = value ? "Stop" : "Send";
    this.#email.readOnly = value;
    this.note("");
  }

  set email(value) {
    this.#email.value = this.#person = value;
  }

  note(words) {
    this.#note.textContent = words;
  }

  focus() {
    this.#message.focus({ preventScroll: true });
  }

  // On a touch screen focus would open the keyboard over the page.
  focusUnlessTouch() {
    if (matchMedia("(hover: hover)").matches) this.focus();
  }

  giveBack(text) {
    if (!this.#message.value) this.#write(text);
  }

  forget(text) {
    if (this.#message.value === text) this.#write("");
  }

  #submit(onSend) {
    const text = this.#message.value.trim();
    if (!text) return;
    this.#write("");
    onSend(text);
  }

  #personIsFine(onPerson) {
    const value = this.#email.value.trim();
    if (!this.#email.validity.valid) {
      this.note("That e-mail address is incomplete. Correct it, or empty the field to ask as nobody in particular.");
      return false;
    }
    this.note("");
    if (value !== this.#person) {
      this.#person = value;
      onPerson(value);
    }
    return true;
  }

  #write(text) {
    this.#message.value = text;
    this.#grow();
  }

  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.#message.style.height = "auto";
    this.#message.style.height = `${this.#message.scrollHeight}px`;
  }
}
