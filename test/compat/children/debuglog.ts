// Run by debuglog.test.ts: a purgatory that sees an error, has keys that are objects, and is
// closed.
import { DelayedOperation, Purgatory } from '../../../src/index.ts';

class Faulty extends DelayedOperation {
  isFaulty = false;

  override tryComplete(): boolean {
    if (this.isFaulty) throw new Error('no');
    return false;
  }

  override onComplete(): void {}
}

const purgatory = new Purgatory<unknown, Faulty>('polls', { onError: () => {} });
const operation = new Faulty(1_000);
purgatory.tryCompleteElseWatch(operation, ['k']);
operation.isFaulty = true;
purgatory.checkAndComplete('k');
for (let i = 0; i < 3; i++) purgatory.tryCompleteElseWatch(new Faulty(1_000), ['text', { topic: 'orders' }]);
purgatory.close();
