import { expect } from 'chai';
import { runSource } from '../support/child.ts';

/**
 * The output of a process whose purgatory sees an error and is closed, with the variable
 * NODE_DEBUG.
 */
async function printed(NODE_DEBUG: string): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runSource(['test/host/children/debuglog.ts'], {
    env: { NODE_DEBUG },
  });
  expect(code).to.equal(0);
  return { stdout, stderr };
}

describe('What the library prints by itself', () => {
  let asked: { stdout: string; stderr: string };

  before(async () => {
    asked = await printed('purgatory');
  });

  it('is a warning of each option that nobody reads, once, and of what was meant', async () => {
    const { stdout, stderr } = await printed('other');
    const warning = /^\(node:\d+\) \[PURGATORY_UNREAD_OPTION\] PurgatoryWarning: (.*)$/;
    const lines = stderr.trimEnd().split('\n');
    if (lines[1].includes('--trace-warnings')) lines.splice(1, 1); // Node says how, after the first
    expect(lines.map((line) => warning.exec(line)?.[1])).to.have.members([
      'Purgatory "misspelt": nobody reads the option "maxparked" (is "maxParked" meant?)',
      'Purgatory "near": nobody reads the option "slice" (is "sliceMs" meant?)',
      'Purgatory "near": nobody reads the option "curent"',
      'Purgatory "near": nobody reads the option "maxPnding" (is "maxPending" meant?)',
      'a wait: nobody reads the option "timeout" (is "timeoutMs" meant?)',
      'SharedWaits "jobs": nobody reads the option "pollms" (is "pollMs" meant?)',
      'an event: nobody reads the option "atmost" (is "atMost" meant?)',
      'a snapshot: nobody reads the option "tops" (is "top" meant?)',
      'Replies "replies": nobody reads the option "maxparked" (is "maxParked" meant?)',
      'a wait: nobody reads the option "sginal" (is "signal" meant?)',
      'a timeoutSignal: nobody reads the option "singal" (is "signal" meant?)',
      'a periodic task: nobody reads the option "initialDelay" (is "initialDelayMs" meant?)',
      'IdleTimeouts "idle": nobody reads the option "onidle" (is "onIdle" meant?)',
      'a LocalHub: nobody reads the option "clok" (is "clock" meant?)',
    ]);
    expect(stdout).to.equal('');
  });

  it('is errors and closings on stderr, where NODE_DEBUG asks for purgatory', () => {
    const { stdout, stderr } = asked;
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^PURGATORY \d+: purgatory "polls": a Faulty threw for the key k: Error: no$/m);
    expect(stderr).to.contain('"polls": a waitFor labelled "client 7" threw for the key row: Error: no\n');
    expect(stderr).to.match(/^PURGATORY \d+: purgatory "polls" closed with 5 parked$/m);
  });

  it('names what is given in vain, once each, where NODE_DEBUG asks for purgatory', () => {
    const { stderr } = asked;
    for (const text of [
      `purgatory "polls": notify got [Object], which nobody watches. Objects are compared by identity`,
      'purgatory "polls": notify got no key: it takes one key',
      'purgatory "polls": a watch key is undefined',
      'purgatory "polls": the watch key [Object] is an object',
      'purgatory "polls" is closed: notify does nothing',
      'purgatory "orders" is closed: checkAndComplete does nothing',
      'purgatory "feed" is closed: advance does nothing',
      'purgatory "jobs" is closed: changed does nothing',
      'purgatory "polls": notify got the number 7, and somebody waits for the string 7: they are two keys',
      'purgatory "feed": advance got the string 8, and somebody waits for the number 8: they are two keys',
      'purgatory "feed": a watch key is undefined',
      'purgatory "feed": the watch key [Object] is an object',
      'purgatory "orders": checkAndComplete tells no other process of the bus: notify does',
      'purgatory "polls": a Faulty that is completed already is not parked',
      'replies: the number 9 came, and the string 9 is expected: they are two',
      'idle timeouts have no listener',
      'queues: an item has onExpired and no timeoutMs: it never expires',
      'shared waits: load was asked for "1" and returned "job:1": none of its keys was asked for',
      'sweepMs is given without a bus',
      "lingerMs is given without routing: 'interest'",
      'bus "local" is closed: no other process hears of "oders"',
      'bus "local": hints come for "oders", which nothing in this process has joined',
    ]) {
      expect(stderr.split(text).length - 1, `${text}\n${stderr}`).to.equal(1);
    }
    expect(stderr.match(/: options\.timeoutMs is \d{13}, which looks like a date/g)).to.have.length(4);
    expect(stderr).to.match(/: delayMs is \d{13}, which looks like a date/);
    expect(stderr).to.not.match(/Infinity/);
    expect(stderr.match(/does nothing$/gm)).to.have.length(4);
  });
});
