const EVERY_MS = 2_000;

/** Told how many bytes are done until now, as often as that changes. */
export type TellBytes = (bytes: number) => void;

/** What an activity tells Temporal with its heartbeat. */
export function bytesNote(note: (details: unknown) => void): TellBytes {
  return (bytesDone) => note({ bytesDone });
}

/**
 * Writes how far something is, at most every two seconds; one write at a time. What cannot be written is left out.
 * @param tell is told each time
 */
export function reportProgress(
  write: (bytes: number) => Promise<void>,
  tell: TellBytes = () => undefined,
): {
  readonly report: (bytes: number) => void;
  /** Waits for the write under way: none comes after it. */
  stop(): Promise<void>;
} {
  let nextAt = 0;
  let writing: Promise<void> | null = null;
  return {
    report(bytes) {
      tell(bytes);
      if (writing !== null || performance.now() < nextAt) return;
      nextAt = performance.now() + EVERY_MS;
      writing = write(bytes)
        .catch(() => undefined)
        .finally(() => {
          writing = null;
        });
    },
    async stop() {
      nextAt = Number.POSITIVE_INFINITY;
      await writing;
    },
  };
}
