// Looks at itself before it has run: its exports have no values yet, and a look at one throws.

import { className, keyText } from '../../src/base/text.ts';
import * as itself from './module-that-imports-itself.ts';

export const texts: readonly string[] = [keyText(itself), keyText(Object.create(itself)), className(itself)];
const maker = Array;

export { maker as constructor };
