// Reads a conversation's log as questions with their answers; both rows of an exchange carry its trace.

export function exchangesIn(messages) {
  const exchanges = [];
  for (const message of messages) {
    if (message.direction === "inbound") {
      exchanges.push({ question: message.text, at: Date.parse(message.at), trace: message.trace_id, answer: null });
    } else {
      exchangeOf(message, exchanges).answer = asAnswer(message);
    }
  }
  return exchanges;
}

export function answerTo(question, messages) {
  return exchangesIn(messages).findLast((exchange) => exchange.question === question)?.answer ?? null;
}

// A message without its question, such as one sent unasked, stands alone.
function exchangeOf(message, exchanges) {
  const open = exchanges.filter((exchange) => !exchange.answer);
  const found = open.find((exchange) => exchange.trace === message.trace_id);
  if (!found) exchanges.push({ question: "", at: Date.parse(message.at), trace: message.trace_id, answer: null });
  return found ?? exchanges.at(-1);
}

function asAnswer({ text, html, sources, trace_id }) {
  return { response: text, response_html: html, sources, trace_id };
}
