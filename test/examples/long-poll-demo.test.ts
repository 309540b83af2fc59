// `npm run demo -- --workers N`, as a user runs it: what is killed comes back, and no message is
// missed.

import { expect } from 'chai';
import { type ChildResult, runNode } from '../support/child.ts';
import { engines, SECOND_TRY } from '../support/engines.ts';
import { fullRun, itWith } from '../support/needs.ts';

const demo = (...args: string[]): Promise<ChildResult> =>
  runNode(['--import', 'tsx', 'examples/demo.ts', ...args]);

/** The last line has the number of missed messages. */
function expectNothingMissed({ stdout, stderr, code }: ChildResult): void {
  expect(code, stderr).to.equal(0);
  for (const line of stderr.split('\n')) expect(line).to.match(/^$|^the messages are out of reach: /);
  expect(stdout).to.match(/^ready http/m);
  expect(stdout.match(/^inspector of process \d+: http/gm)).to.have.length.of.at.least(3);
  expect(stdout).to.match(/^worker 1 has died of SIGKILL$/m);
  expect(stdout).to.match(/^worker 1 is back, process \d+$/m);
  expect(stdout).to.match(
    /\n\d+ messages, \d+ polls answered, \d+ requests made again; 0 messages missed\n$/,
  );
}

describe('npm run demo -- --workers', () => {
  it('kills a worker, which comes back, and no message is missed', async () => {
    expectNothingMissed(await demo('--workers', '2', '--seconds', '6', '--readers', '40'));
  });

  // Redis stands for the engines: test/programs/faults kills each of them.
  itWith(
    [fullRun, engines.redis],
    'kills the engine of the bus too, which comes back, and no message is missed',
    async () => {
      const ended = await demo('--workers', '2', '--seconds', '9', '--readers', '40', '--bus', 'redis');
      expectNothingMissed(ended);
      expect(ended.stdout).to.match(/^-- kill -9 of the engine\n/m);
    },
  ).retries(SECOND_TRY);

  it('says in a sentence what is wrong with an option', async () => {
    const [workers, bus] = await Promise.all([
      demo('--workers', '0'),
      demo('--workers', '2', '--bus', 'kafka'),
    ]);
    expect(workers).to.include({
      stderr: '--workers must be a whole number from 1 to 16, and not "0".\n',
      code: 2,
    });
    expect(bus).to.include({
      stderr: '--bus must be a URL, or one of redis, nats, postgres, and not "kafka".\n',
      code: 2,
    });
  });
});
