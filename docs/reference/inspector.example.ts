import { Purgatory, SystemTimer } from 'purgatory';
import { createInspector } from 'purgatory/inspector';

const timer = new SystemTimer();
const polls = new Purgatory('polls', { timer });
const inspector = createInspector({ purgatories: [polls], timers: [timer] });

const url = await inspector.listen({ port: 0 }); // open it in a browser
console.log(url.hostname); // 127.0.0.1
await inspector.close();
