import { ManualClock } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';

const clock = new ManualClock(); // leave it out to go by the host's clock
const idle = new IdleTimeouts<{ name: string }>({
  timeoutMs: 30_000,
  clock,
  onIdle: ({ name }) => {
    console.log(`${name} is idle`); // quiet is idle
  },
});

const [busy, quiet] = [{ name: 'busy' }, { name: 'quiet' }];
for (const connection of [busy, quiet]) idle.touch(connection);
clock.advance(20_000);
idle.touch(busy); // it has sent something
clock.advance(10_000);
console.log(idle.size); // 1
idle.remove(busy); // it has closed
