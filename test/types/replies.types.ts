import { expectTypeOf } from 'expect-type';
import { SystemTimer } from 'purgatory';
import { Replies } from 'purgatory/replies';

const replies = new Replies<number, string>('replies', { timer: new SystemTimer(), maxParked: 5 });
expectTypeOf(replies.expect(1, { timeoutMs: 5, signal: AbortSignal.timeout(5) })).toEqualTypeOf<
  Promise<string>
>();
expectTypeOf(replies).toExtend<Disposable>();
// @ts-expect-error the reply is a string
replies.resolve(1, 2);
// Ids are strings unless another type is given.
const plain = new Replies('replies');
void plain.expect('a', { timeoutMs: 5 });
// @ts-expect-error an id that is no string
plain.resolve(7, 'reply');
// @ts-expect-error a deadline must be given
void replies.expect(1, {});
