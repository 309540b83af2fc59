// Run by realms.test.ts: runs the CommonJS bundle that the argument names in a realm of node:vm, with
// the globals of Node, as jest and hosts of plugins make it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction, createContext, runInContext } from 'node:vm';

const [, , bundle] = process.argv;
const context = createContext();
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (runInContext(`'${name}' in globalThis`, context)) continue;
  Object.defineProperty(context, name, Object.getOwnPropertyDescriptor(globalThis, name)!);
}
const parameters = ['require', 'module', 'exports'];
const run = compileFunction(readFileSync(bundle, 'utf8'), parameters, { parsingContext: context });
run(createRequire(bundle), { exports: {} }, {});
