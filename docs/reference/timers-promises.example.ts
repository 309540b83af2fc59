import { setInterval, setTimeout } from 'purgatory/timers/promises';

console.log(await setTimeout(5, 'done')); // done

let beats = 0;
for await (const _ of setInterval(5)) if (++beats === 3) break;
console.log(beats); // 3
