import { expect } from 'chai';
import { runSource } from '../support/child.ts';

describe('npm run demo -- --incident NAME', () => {
  it('plays the incident for real, and prints what the page of the inspector says', async () => {
    const play = () => runSource(['examples/demo.ts', '--incident', 'full', '--seconds', '3']);
    let { code, stdout } = await play();
    // Where the machine has stood still, that is worse, and the page says it first.
    for (let tries = 1; tries < 10 && stdout.includes('Something is wrong'); tries++) {
      ({ code, stdout } = await play());
    }
    expect(stdout).to.match(/^The page says it at http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(stdout).to.match(
      /-- queues are nearly full\n[\s\S]*Have a look: [\s\S]*mails.* keeps 99 of 100 items/,
    );
    expect(stdout).to.match(/-- it is over\n/);
    expect(code).to.equal(0);
  });

  it('names the incidents that there are', async () => {
    const { code, stderr } = await runSource(['examples/demo.ts', '--incident', 'flood']);
    expect(stderr).to.match(/^--incident must be one of these, and not "flood":\n {2}block .*\n/);
    expect(code).to.equal(2);
  });
});
