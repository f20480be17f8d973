import { LRUCache } from 'lru-cache';

export interface SharedAnswersOptions<T> {
  /** How old an answer may be that is given once more, counted from when its making began. */
  readonly maxAgeMs: number;
  /** Of all answers that are kept. One that is larger by itself is kept alone. */
  readonly mostBytes: number;
  readonly bytesOf: (answer: T) => number;
  /** As `maxAgeMs`, of errors that are answers too, such as that there is no such thing; 0: given to nobody later. */
  readonly errorMaxAgeMs?: (error: unknown) => number;
  /** Milliseconds that only go forward. */
  readonly monotonicMs?: (() => number) | undefined;
}

/** Gives the answer of a key: the one that is kept, the one that is being made, or a new one. */
export type SharedAnswers<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/** They are small, and of keys that anybody may invent. */
const MOST_ERRORS = 1_000;
/** What an entry takes besides its answer. */
const ENTRY_BYTES = 200;

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly bytes: number;
  readonly begunAt: number;
}

/**
 * Answers that many ask for, each made once at a time and kept for a while, in memory that is bounded by bytes. Errors are
 * kept apart, so that whoever asks for what is not there displaces nothing that is.
 */
export function createSharedAnswers<T>({
  maxAgeMs,
  mostBytes,
  bytesOf,
  errorMaxAgeMs = () => 0,
  monotonicMs = () => performance.now(),
}: SharedAnswersOptions<T>): SharedAnswers<T> {
  const kept = new LRUCache<string, Kept<T>>({ maxSize: mostBytes, sizeCalculation: ({ bytes }) => bytes });
  const failed = new LRUCache<string, { readonly error: unknown; readonly until: number }>({ max: MOST_ERRORS });
  const inHand = new Map<string, Promise<T>>();

  function make(key: string, how: () => Promise<T>): Promise<T> {
    const begunAt = monotonicMs();
    const answer = (async () => how())().then(
      (made) => {
        const bytes = Math.min(mostBytes, Math.ceil(bytesOf(made)) + key.length + ENTRY_BYTES);
        kept.set(key, { answer, bytes, begunAt });
        inHand.delete(key);
        return made;
      },
      (error: unknown) => {
        const ageMs = errorMaxAgeMs(error);
        if (ageMs > 0) failed.set(key, { error, until: begunAt + ageMs });
        inHand.delete(key);
        throw error;
      },
    );
    inHand.set(key, answer);
    return answer;
  }

  return (key, how) => {
    const now = monotonicMs();
    const known = kept.get(key);
    if (known !== undefined && now - known.begunAt < maxAgeMs) return known.answer;
    const failure = failed.get(key);
    if (failure !== undefined && now < failure.until) return Promise.reject(failure.error);
    return inHand.get(key) ?? make(key, how);
  };
}
