// A case of the conformance suite.
/** One case. It fails by throwing an AssertionError. */
export interface ConformanceCase {
  readonly title: string;
  run(): Promise<void>;
}
