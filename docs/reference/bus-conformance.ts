/**
 * For authors of a transport: the cases that a transport has to pass. Run each as a test.
 *
 * @example
 * {@includeCode ./bus-conformance.example.ts}
 *
 * @module purgatory/bus/conformance
 */
export * from '../../src/bus/transports/conformance.ts';
