// The purgatories, timers and buses that the inspector shows, with names that are short and unique.
import { type GivenSources, LiveSources } from '../live-sources.ts';
import { cut } from '../text.ts';
import { MAX_NAME_LENGTH } from './frame.ts';

export class Shown extends LiveSources {
  constructor(given: GivenSources) {
    super(given, (name) => cut(name, MAX_NAME_LENGTH));
  }
}
