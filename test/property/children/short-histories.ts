// Plays one history in STEP of so many acts: `short-histories ACTS STEP`. Fails with the first that
// is wrong.
import { historiesOf, playShortHistories } from '../short-histories.ts';

const [acts, step] = process.argv.slice(2).map(Number);
const numbers = Array.from({ length: Math.ceil(historiesOf(acts) / step) }, (_, index) => index * step);
await playShortHistories(acts, numbers.values());
console.log(`${numbers.length} histories`);
