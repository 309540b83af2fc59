// A fault in the engine, which the soak must find. soak.test.ts imports it before everything else.
import { Purgatory } from '../../../src/index.ts';

const { checkAndComplete } = Purgatory.prototype;
let checks = 0;
Purgatory.prototype.checkAndComplete = function (key) {
  return checkAndComplete.call(this, key) + (++checks === 5_000 ? 1 : 0);
};
