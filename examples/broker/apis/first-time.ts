/**
 * A function that is true for each key once. What a request names twice is answered once, as by
 * Kafka: an answer is no larger than what there is, and takes no longer to make, however often it
 * is asked for.
 */
export function firstTime(): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
}
