// One question and what comes of it, as it grows on the page.

import { showAnswer } from "./answer.js";
import { Checklist } from "./checklist.js";

export class Turn {
  #reply;
  #status;
  #work;
  #checklist;

  constructor(question, { onAgain }) {
    this.question = question;
    this.element = document.getElementById("turn").content.firstElementChild.cloneNode(true);
    this.#reply = this.element.querySelector(".reply");
    this.#status = this.element.querySelector(".status");
    this.#work = this.element.querySelector(".work");
    this.#checklist = new Checklist(this.element.querySelector(".tools"));
    this.element.querySelector(".question-text").textContent = question;
    this.element.querySelector(".question").hidden = !question;
    this.element.querySelector(".again").addEventListener("click", () => onAgain(this));
  }

  say(words) {
    if (this.#status.textContent !== words) this.#status.textContent = words;
  }

  handle(line) {
    const show = { phase: this.#phase, plan: this.#plan, tool: this.#tool, progress: this.#progress, answer: this.answer, error: this.fail }[line.type];
    show?.call(this, line);
  }

  answer(body) {
    this.#finish();
    this.#reply.querySelector(".problem").hidden = true;
    showAnswer(this.#reply, body);
  }

  fail({ message, calm = false }) {
    this.#finish();
    const problem = this.#reply.querySelector(".problem");
    problem.querySelector(".problem-text").textContent = message;
    problem.toggleAttribute("data-calm", calm);
    problem.hidden = false;
  }

  #phase({ phase, round }) {
    const planning = round > 1 ? "Checking what is still missing…" : "Reading your question…";
    this.say(phase === "answer" ? "Writing the answer…" : planning);
  }

  #plan({ text }) {
    const plan = this.#work.querySelector(".plan");
    plan.textContent = text.replace(/^[ \t]*[-*] /gm, "• ");
    plan.hidden = false;
    this.#work.hidden = false;
  }

  #tool(tool) {
    this.#checklist.show(tool);
    this.#work.hidden = false;
    if (tool.status === "running") this.say("Looking things up…");
  }

  #progress(line) {
    this.#checklist.progress(line);
    this.#work.hidden = false;
  }

  #finish() {
    this.say("");
    this.#checklist.settle();
    this.#work.open = false;
    this.#work.querySelector(".work-title").textContent = this.#checklist.size ? this.#checklist.summary() : "Plan";
  }
}
