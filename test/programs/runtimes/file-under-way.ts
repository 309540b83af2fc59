// A root hook: writes which file each process of a run is at, for run.ts to name when the run hangs.
import { writeFileSync } from 'node:fs';
import type { Context } from 'mocha';

let last: string | undefined;

export const mochaHooks = {
  beforeEach(this: Context): void {
    const file = this.currentTest?.file;
    if (file === undefined || file === last) return;
    last = file;
    writeFileSync(`${process.env.FILES_UNDER_WAY}/${process.pid}`, file);
  },
};
