// `purgatory/async-context`: operations that answer in the async context of their request.
// docs/async-context.md
export { ContextualOperation } from './contextual-operation.ts';
