import { expect } from 'chai';
import { httpPolls } from '../../bench/herd-http.ts';
import { herdPicture } from '../../bench/pictures.ts';

describe('npm run bench -- herd', () => {
  it('measures a real HTTP server, in the server, while it answers its polls', async () => {
    const measured = await httpPolls(50);
    expect(measured['http polls']).to.be.above(0);
    expect(measured['http polls, CPU']).to.be.above(0);
  });

  it('draws its picture from what it has measured', () => {
    const of = (ms: number): number[] => [ms, 1_000_000, 0];
    const picture = herdPicture([
      { system: 'a list and a loop', size: 1, metrics: { waitFor: of(1_040), 'six awaits': of(1_460) } },
      {
        system: 'purgatory',
        size: 1,
        metrics: {
          waitFor: of(7.74),
          'six awaits': of(13.8),
          operations: of(9),
          keys: of(23),
          deadlines: of(33),
          hint: of(17),
        },
      },
    ]);
    expect(picture).to.contain('>1,040 ms<').and.contain('>7.74 ms<').and.contain('a list and a loop');
  });
});
