import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockFolder } from '../../storage/folder-lock.ts';
import { BrokerProcess } from '../support/broker-process.ts';
import { describeWith, programs } from '../support/needs.ts';
import { dataFolder, startBroker } from '../support/running-broker.ts';

describe('the lock on the data of a node', () => {
  let data: string;

  beforeEach(() => {
    data = dataFolder();
  });

  const args = () => ['--port', '0', '--http', '0', '--data', data];
  const claims = () => readdirSync(join(data, 'node-0')).filter((name) => name.startsWith('.lock'));

  async function refusal(): Promise<string> {
    try {
      const second = await BrokerProcess.start(args());
      await second.end('SIGKILL');
      return 'it started';
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('has a second broker fail at its start, and tells the folder and the process', async () => {
    const first = await BrokerProcess.start(args());
    expect(await refusal()).to.equal(
      `it has ended: ${join(data, 'node-0')} is in use by process ${first.pid}, and two brokers would ruin it\n`,
    );
    expect(claims(), 'of the one that runs').to.have.length(1);
    await first.end('SIGTERM');
    expect(claims()).to.deep.equal([]);
  });

  it('counts for nothing when its process was killed', async () => {
    for (let round = 0; round < 2; round++) {
      const broker = await BrokerProcess.start(args());
      expect(claims()).to.have.length(1);
      await broker.end('SIGKILL');
    }
    const { broker } = await startBroker({ data });
    await broker.stop();
    expect(claims()).to.deep.equal([]);
  });

  it('holds within one process too, and a broker that was refused gives nothing away', async () => {
    const first = await startBroker({ data });
    for (let attempt = 0; attempt < 2; attempt++) {
      let error = '';
      await startBroker({ data }).catch(({ message }) => {
        error = message;
      });
      expect(error).to.contain(`is in use by process ${process.pid}`);
    }
    await first.broker.stop();
    const second = await startBroker({ data });
    await second.broker.stop();
  });

  it('says what to do about a folder that looks like a claim, and leaves none of its own', () => {
    mkdirSync(join(data, '.lock-1-1'));
    expect(() => lockFolder(data)).to.throw(
      `${join(data, '.lock-1-1')} is a folder, and no claim of a broker`,
    );
    expect(readdirSync(data)).to.deep.equal(['.lock-1-1']);
  });

  it('is not held by a process that has the number of one that is gone', () => {
    const folder = join(data, 'node-0');
    lockFolder(folder)();
    writeFileSync(join(folder, `.lock-${process.ppid}-1`), '');
    lockFolder(folder)();
    expect(claims()).to.deep.equal([]);
  });
});

describeWith(programs.smallDisk, 'a folder on a read-only mount', () => {
  let disk: string;

  beforeEach(() => {
    disk = dataFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]);
    mkdirSync(join(disk, 'made'));
    execFileSync('mount', ['-o', 'remount,ro', disk]);
  });

  afterEach(() => {
    execFileSync('umount', [disk]);
  });

  it('is not taken, whether it is there or has to be made, and the error says that it is read-only', () => {
    const [made, missing] = [join(disk, 'made'), join(disk, 'missing', 'deep')];
    expect(() => lockFolder(made)).to.throw(
      `nothing can be written in ${made}: ${made} is mounted read-only`,
    );
    expect(() => lockFolder(missing)).to.throw(`in ${missing}: ${disk} is mounted read-only`);
  });
});
