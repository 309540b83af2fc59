import { connect } from 'node:net';
import { expect } from 'chai';
import { ManualClock } from 'purgatory';
import { LimitedLog } from '../log-lines.ts';
import { BrokerProcess } from './support/broker-process.ts';
import { dataFolder } from './support/running-broker.ts';

describe('the lines that a broker logs', () => {
  let clock: ManualClock;
  let written: string[];
  let limited: LimitedLog;

  beforeEach(() => {
    clock = new ManualClock();
    written = [];
    limited = new LimitedLog((line) => written.push(line), clock);
  });

  it('are one a second of each kind, the last one with the count of those left out', () => {
    for (let i = 0; i < 1000; i++) limited.log(`refused ${i}`, 'limited');
    limited.log('a fault', 'limited');
    expect(written).to.deep.equal(['refused 0', 'a fault']);
    clock.advance(999);
    expect(written).to.have.length(2);
    clock.advance(2);
    expect(written[2]).to.equal('refused 999 (and 998 more lines of this kind, left out)');
    limited.log('refused 1000', 'limited');
    expect(written).to.have.length(3);
    clock.advance(1002);
    expect(written[3]).to.equal('refused 1000');
    clock.advance(1002);
    limited.log('refused 1001', 'limited');
    expect(written[4], 'after a second of silence, at once').to.equal('refused 1001');
    expect(written).to.have.length(5);
  });

  it('are of one kind where they differ in numbers and quoted names alone: a count stands behind no other kind', () => {
    const lines = [
      'a frame of 2147483647 bytes, where --max-frame-bytes is 1000',
      'a frame of -2147483648 bytes, where each has at least 4',
      'a frame of -1 bytes, where each has at least 4',
      'the topic "a"',
      'the topic "b\\"3"',
      'the topic "c"',
    ];
    for (const line of lines) limited.log(line, 'limited');
    expect(written).to.deep.equal([lines[0], lines[1], lines[3]]);
    limited.flush();
    expect(written.slice(3)).to.deep.equal([
      lines[2],
      'the topic "c" (and 1 more line of this kind, left out)',
    ]);
  });

  it('are all written where they are not limited, and what is held is written at the end', () => {
    for (let i = 0; i < 3; i++) limited.log(`cut ${i}`);
    for (let i = 0; i < 3; i++) limited.log(`closed ${i}`, 'limited');
    limited.flush();
    limited.flush();
    expect(written).to.deep.equal([
      'cut 0',
      'cut 1',
      'cut 2',
      'closed 0',
      'closed 2 (and 1 more line of this kind, left out)',
    ]);
  });
});

describe('a broker whose every connection is refused', () => {
  it('logs a line a second, and how many it left out', async () => {
    const options = ['--port', '0', '--http', '0', '--data', dataFolder()];
    const broker = await BrokerProcess.start(options);
    const refused = (): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(broker.ports[0], '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
        socket.on('error', () => {}).on('close', () => resolve());
      });
    const start = performance.now();
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, refused));
    await broker.end('SIGTERM');
    const seconds = (performance.now() - start) / 1000;
    const lines = broker.stderr.trim().split('\n');
    expect(lines.length).to.be.at.most(2 + seconds);
    const leftOut = lines.map((line) => Number(/and (\d+) more lines?/.exec(line)?.[1] ?? 0));
    expect(lines.length + leftOut.reduce((sum, count) => sum + count, 0)).to.equal(1000);
  });
});
