import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { InSyncReplicas } from '../../../../examples/broker/replication/in-sync-replicas.ts';
import { makeBatch } from '../support/batches.ts';
import { freePorts } from '../support/free-ports.ts';
import { dataFolder, startBroker, until } from '../support/running-broker.ts';
import { produceRequest, WireClient } from '../support/wire-client.ts';

describe('the replicas in sync', () => {
  it('are those that fetched from the end within the lag, and the leader', () => {
    const replicas = new InSyncReplicas(0, [1, 2], 0);
    replicas.note(1, 10, 10, 5, 900);
    replicas.note(2, 9, 10, 5, 900);
    replicas.shrink(1000, 1000);
    expect(replicas.ids).to.deep.equal([0, 1, 2]);
    expect(replicas.commonOffset(10)).to.equal(9);
    replicas.shrink(1001, 1000);
    expect(replicas.ids).to.deep.equal([0, 1]);
    expect(replicas.commonOffset(10)).to.equal(10);
    replicas.shrink(1901, 1000);
    expect(replicas.ids).to.deep.equal([0]);
  });

  it('take one back when it has reached the high watermark, and know no strangers', () => {
    const replicas = new InSyncReplicas(0, [1], 0);
    replicas.shrink(2000, 1000);
    replicas.note(1, 4, 10, 5, 2000);
    expect(replicas.ids).to.deep.equal([0]);
    replicas.note(7, 10, 10, 5, 2000);
    replicas.note(1, 11, 10, 5, 2000);
    replicas.note(1, 5, 10, 5, 2000);
    expect(replicas.ids).to.deep.equal([0, 1]);
    expect(replicas.commonOffset(10)).to.equal(5);
  });
});

describe('a follower that has more than its leader', () => {
  it("cuts its log to the leader's end, says so, and goes on from there", async () => {
    const data = dataFolder();
    const port = await freePorts(2);
    const start = (node: number) => startBroker({ nodes: 2, node, port, data, partitions: 1 });
    let [leader, follower] = await Promise.all([start(0), start(1)]);
    const endOffsets = () =>
      [leader, follower].map(({ broker }) => broker.status().topics[0]?.partitions[0].endOffset);
    const produce = async (value: string) => {
      const client = await WireClient.connect(port);
      const request = { topics: [{ topicId: '', name: 't' }], allowAutoTopicCreation: true };
      await client.send('Metadata', 4, request as never);
      await client.send('Produce', 8, produceRequest('t', 0, -1, makeBatch([value])));
      client.destroy();
    };
    await produce('a');
    await produce('b');
    expect(endOffsets()).to.deep.equal([2, 2]);

    await leader.broker.stop();
    rmSync(join(data, 'node-0', 'logs'), { recursive: true });
    leader = await start(0);
    await until(() => endOffsets()[1] === 0);
    expect(follower.lines).to.deep.equal(['cut t-0 from offset 2 to 0, where its leader ends']);
    await produce('c');
    expect(endOffsets()).to.deep.equal([1, 1]);

    await Promise.all([leader.broker.stop(), follower.broker.stop()]);
  });
});
