/**
 * Clients from Debian's packages, unmodified and with their defaults: each connects, produces,
 * consumes in a group and lists.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseOptions } from '../options.ts';
import { describeTopicSettings } from '../settings/topic-settings.ts';
import { describeWith, programs } from './support/needs.ts';
import { startBroker } from './support/running-broker.ts';

const HUNDRED = Array.from({ length: 100 }, (_, i) => i);

/** What the script has printed; rejects when it fails, or hangs. */
async function runPython(script: string, address: string): Promise<Record<string, unknown>> {
  const path = fileURLToPath(new URL(`clients/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [path, address], { timeout: 100_000 });
  return JSON.parse(stdout);
}

describeWith(programs.kafkaPython, 'kafka-python', () => {
  it('finds the version with its defaults, produces, consumes in a group, lists and changes topics and groups', async () => {
    const { broker, address, lines } = await startBroker();
    const seen = await runPython('kafka_python_client.py', address);
    await broker.stop();
    expect(seen).to.deep.equal({
      api_versions: ['2.4.0'],
      values: HUNDRED.slice(0, 15),
      end_offsets: 15,
      committed: 15,
      topics: ['py'],
      found_by_time: [7, 1007, 10],
      groups: [['py-group', 'consumer']],
      members: 1,
      partitions: 4,
      retention_ms: '60000',
      altered: [0],
      deleted: ['NoError'],
      left: ['py', 'zipped'],
    });
    expect(lines).to.deep.equal([]);
  });
});

describeWith(programs.confluentKafka, 'confluent-kafka (librdkafka)', () => {
  it('produces, consumes in a group, lists and changes topics with its defaults', async () => {
    const { broker, address, lines } = await startBroker();
    const settings = describeTopicSettings({}, parseOptions([])).map(({ name }) => name);
    const seen = await runPython('confluent_kafka_client.py', address);
    await broker.stop();
    expect(seen).to.deep.equal({
      undelivered: 0,
      failed: [],
      values: HUNDRED,
      committed: 100,
      topics: ['rd'],
      groups: [['rd-group', 'Stable', 1]],
      overrides: ['retention.ms', 'segment.bytes'],
      partitions: 4,
      retention_ms: '60000',
      broker_id: '0',
      altered: '5',
      refused: `"max.speed" is no setting of a topic here, where there are ${settings.join(', ')}`.slice(
        0,
        511,
      ),
    });
    expect(lines).to.deep.equal([]);
  });
});
