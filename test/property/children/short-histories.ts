// Plays all histories of so many acts. Argument: the acts. Fails with the first that is wrong.
import { historiesOf, playShortHistories } from '../short-histories.ts';

const acts = Number(process.argv[2]);
await playShortHistories(acts, Array(historiesOf(acts)).keys());
console.log(`${historiesOf(acts)} histories`);
