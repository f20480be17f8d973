interface Reading<T> {
  readonly running: Promise<T>;
  /** The read that begins when this one has ended; null while nobody asked for it. */
  next: Promise<T> | null;
}

/**
 * One read at a time of each key. Whoever asks while one is under way shares the next one with all who ask meanwhile. However
 * many ask at once, two reads answer them, and no answer is older than its question: a change that was made before, by
 * whatever process, is seen. A failure is given to those who share it.
 */
export function shareFreshReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const readings = new Map<string, Reading<T>>();

  function begin(key: string): Promise<T> {
    const reading: Reading<T> = { running: read(key), next: null };
    readings.set(key, reading);
    const end = (): void => {
      if (reading.next === null) readings.delete(key);
    };
    reading.running.then(end, end);
    return reading.running;
  }

  return (key) => {
    const reading = readings.get(key);
    if (reading === undefined) return begin(key);
    const beginNext = () => begin(key);
    reading.next ??= reading.running.then(beginNext, beginNext);
    return reading.next;
  };
}
