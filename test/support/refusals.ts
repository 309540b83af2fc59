// The errors of the library that calls must end with. A code goes with a class: both are checked.
import { expect } from 'chai';
import { PurgatoryError } from '../../src/index.ts';
import { rejection } from './rejection.ts';

function classOf(code: string): abstract new (...args: never[]) => Error {
  if (code.startsWith('ERR_PURGATORY_')) return PurgatoryError;
  if (code === 'ERR_OUT_OF_RANGE') return RangeError;
  return code.startsWith('ERR_INVALID_') ? TypeError : Error;
}

function check(error: unknown, code: string, text: string): void {
  expect(error).to.be.instanceOf(classOf(code)).with.property('code', code);
  expect(error).to.have.property('message').that.contains(text);
}

/** `call` throws the error that has `code`, and `text` in its message. */
export function refuses(call: () => unknown, code: string, text = ''): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  check(thrown, code, text);
}

/** `promise` is rejected with that error. */
export async function rejects(promise: Promise<unknown>, code: string, text = ''): Promise<void> {
  check(await rejection(promise), code, text);
}
