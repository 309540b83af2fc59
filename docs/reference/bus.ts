/**
 * Events that reach purgatories of the same name in other processes. The transports have subpaths of
 * their own. {@link LocalHub} is a bus in memory, for tests. {@link createBus} makes a bus of a
 * transport that you write.
 *
 * @example
 * {@includeCode ./bus.example.ts}
 *
 * @module purgatory/bus
 */
export * from '../../src/bus/index.ts';
