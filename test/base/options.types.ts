// No class can take an option and ignore it: what is passed on is read, to the last one.
import { allRead, type Reads, type Rules } from '../../src/base/options.ts';
import type { CheckedParkingOptions } from '../../src/purgatory/purgatory-options.ts';
import { parkingParts } from '../../src/purgatory/purgatory-options.ts';
import { sharedOrOwnTimer } from '../../src/timer/timer-option.ts';

declare const parking: CheckedParkingOptions;
parkingParts('Purgatory "x"', 'x', parking);
// @ts-expect-error a new option of a Purgatory, which its constructor has to take out
parkingParts('Purgatory "x"', 'x', { ...parking, maxWaitMs: 1 });

sharedOrOwnTimer({ timer: undefined, tickMs: 1 });
// @ts-expect-error no option of a timer
sharedOrOwnTimer({ timer: undefined, maxWaitMs: 1 });

declare const wait: { timeoutMs: number; maxTries: number };
export const read = ({ timeoutMs }: Reads<{ timeoutMs: number; maxTries: number }, 'timeoutMs'>) => timeoutMs;
// @ts-expect-error maxTries is read by nobody
read(wait);

allRead({});
// @ts-expect-error one is left
allRead({ maxWaitMs: 1 });

// @ts-expect-error a table has a rule for each option
export const rules: Rules<{ maxParked: number; maxWaitMs: number }> = { maxParked: () => 1 };
