import { ThresholdPurgatory } from 'purgatory/threshold';

const replicated = new ThresholdPurgatory('replicated');
const first = replicated.awaitAtLeast('partition-0', 10, { timeoutMs: 50 });
const second = replicated.awaitAtLeast('partition-0', 20, { timeoutMs: 50 });

console.log(replicated.advance('partition-0', 12)); // 1
console.log(await first); // { expired: false, value: 12 }
console.log(await second); // { expired: true }
