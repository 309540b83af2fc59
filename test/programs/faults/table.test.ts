import { expect } from 'chai';
import type { Result, Row } from './row.ts';
import { linesOf } from './table.ts';

const SCALE = { parked: 1, members: 1, rate: 1, seconds: { load: 1, kills: 1, stop: 1, idle: 1 } };

function row(run: () => Promise<Result[]>): Row {
  return { name: 'a row', engines: ['workers'], run };
}

describe('The table of faults', () => {
  it('has a line for each number, with its bar, if it has one, and whether it was met', async () => {
    const results = [
      { what: 'written down', measured: 1234.5, unit: 'ms' },
      { what: 'at most', measured: 0.12345, unit: '', bar: 0.2 },
      { what: 'at most', measured: 3, unit: 'ms', bar: 2 },
      { what: 'a control', measured: 1, unit: 'waits', least: 1 },
    ];
    expect(
      await linesOf(
        row(async () => results),
        'workers',
        SCALE,
      ),
    ).to.deep.equal({
      lines: [
        '| workers | a row | written down | 1235 ms |  |  |',
        '| workers | a row | at most | 0.123 | 0.2 | met |',
        '| workers | a row | at most | 3 ms | 2 ms | MISSED |',
        '| workers | a row | a control | 1 waits | at least 1 waits | met |',
      ],
      missed: 1,
    });
  });

  it('counts a row that throws as missed, in one line', async () => {
    const error = new Error('no | answer\nwithin 1 s');
    const broken = row(() => Promise.reject(error));
    expect(await linesOf(broken, 'workers', SCALE)).to.deep.equal({
      lines: ['| workers | a row | Error: no / answer | threw |  | MISSED |'],
      missed: 1,
      error,
    });
  });
});
