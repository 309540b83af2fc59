import { LocalHub } from 'purgatory/bus';

const hub = new LocalHub();
const bus = hub.bus();
console.log(bus.state); // live
await bus.close();
console.log(bus.state); // closed
