import { Replies } from 'purgatory/replies';

const replies = new Replies<number, string>();
let lastId = 0;

/** Sends a question and waits for its reply; this server knows one answer. */
function call(question: string): Promise<string> {
  const id = ++lastId;
  const reply = replies.expect(id, { timeoutMs: 50 });
  if (question === 'how much?') queueMicrotask(() => replies.resolve(id, '42'));
  return reply;
}

console.log(await call('how much?')); // 42
await call('why?').catch((error) => console.log(error.code)); // ERR_PURGATORY_TIMEOUT
console.log(replies.size); // 0
