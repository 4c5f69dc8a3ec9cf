// The chat page: one conversation, one question at a time.

import { Composer } from "./composer.js";
import { answerTo, exchangesIn } from "./history.js";
import { Memory, freshId } from "./memory.js";
import { Turn } from "./turn.js";
import { ask, cancel, conversation } from "./wire.js";

const LOOK_AGAIN_MS = 2500;
const STILL_LIKELY_MS = 5 * 60 * 1000;
const STOPPED = "Stopped before the answer was finished.";
const NO_ANSWER = "No answer was recorded for this question.";

const { slug, askAs, messages, stream, cancel: cancelUrl } = document.body.dataset;
const intro = document.getElementById("intro");
const restart = document.getElementById("restart");
const transcript = document.getElementById("transcript");
const memory = new Memory(slug, { askAs });
const composer = new Composer({ onSend: send, onStop: stop, onPerson: begin });
let running = null;

function addTurn(question) {
  const turn = new Turn(question, { onAgain: askAgain });
  transcript.append(turn.element);
  intro.hidden = true;
  restart.hidden = false;
  return turn;
}

function bringUp(turn) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  turn.element.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

async function send(question) {
  if (running) return;
  const turn = addTurn(question);
  const control = new AbortController();
  running = { id: freshId(), control };
  composer.running = true;
  memory.start();
  turn.say("Sending…");
  bringUp(turn);
  const body = { message: question, thread_key: memory.thread, turn_id: running.id };
  if (memory.email) body.email = memory.email;
  try {
    await ask(stream, body, { signal: control.signal, onLine: (line) => hear(turn, line) });
  } catch (error) {
    recover(turn, error);
  } finally {
    running = null;
    composer.running = false;
  }
}

function hear(turn, line) {
  turn.handle(line);
  if (line.type === "error") composer.giveBack(turn.question);
}

function recover(turn, error) {
  if (error.name === "AbortError") {
    turn.fail({ message: STOPPED, calm: true });
    composer.giveBack(turn.question);
  } else if (error.code === "cut_off") {
    turn.say("The connection broke. Looking whether the answer was finished…");
    awaitAnswer(turn, Date.now());
  } else {
    turn.fail({ message: error.message || "Something went wrong on this page. Reload it and ask again." });
    composer.giveBack(turn.question);
  }
}

function stop() {
  if (!running) return;
  cancel(cancelUrl, running.id);
  running.control.abort();
}

function askAgain(turn) {
  if (running) return;
  composer.forget(turn.question);
  turn.element.remove();
  send(turn.question);
  composer.focus();
}

function begin(email) {
  memory.begin(email);
  transcript.replaceChildren();
  intro.hidden = false;
  restart.hidden = true;
  scrollTo({ top: 0 });
}

// A turn that had run a tool goes on without us; its answer is then in the conversation.
async function awaitAnswer(turn, since) {
  while (turn.element.isConnected && Date.now() - since < STILL_LIKELY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    const log = await conversation(messages, memory).catch(() => ({ messages: [] }));
    const found = answerTo(turn.question, log.messages);
    if (found) return turn.answer(found);
  }
  return turn.fail({ message: NO_ANSWER });
}

async function comeBack() {
  if (!memory.started) return;
  const log = await conversation(messages, memory);
  if (running || transcript.childElementCount) return;
  const waiting = exchangesIn(log.messages).map(showAgain);
  transcript.lastElementChild?.scrollIntoView({ block: "start" });
  await Promise.all(waiting);
}

function showAgain({ question, at, answer }) {
  const turn = addTurn(question);
  if (answer) return turn.answer(answer);
  turn.say("Still working on this…");
  return awaitAnswer(turn, at);
}

document.querySelectorAll(".example").forEach((button) => {
  button.addEventListener("click", () => {
    send(button.dataset.question);
    composer.focus();
  });
});
restart.addEventListener("click", () => {
  stop();
  begin(memory.email);
  composer.focus();
});
composer.email = memory.email;
composer.focusUnlessTouch();
comeBack().catch((error) => composer.note(`The earlier conversation could not be loaded. ${error.message}`));
