/** What a thread tells of a piece that it hands over: its bytes are in a slot, which the thread gets back by its number once they were used. */
export interface PieceMessage {
  readonly type: 'piece';
  readonly slot: number;
  readonly bytes: number;
}

/** The end of a thread at which bytes come in. */
export interface PieceWriter {
  /** Resolves once all of it is in slots; each that is full is handed over. @throws what `fail` was told */
  write(bytes: Uint8Array): Promise<void>;
  /** Hands over what the last slot has. */
  flush(): void;
  /** A slot whose bytes were used. */
  takeBack(slot: number): void;
  /** Ends a `write` that waits for a slot. */
  fail(error: unknown): void;
}

const SLOTS = 16;
const SLOT_BYTES = 64 * 1024;

/**
 * Of a thread that reads streams, in MiB. What it keeps of its own is little: the bytes are in memory that no collector
 * looks at. On the main thread some ten MB of the buffers that streams read make it mark everything that the process has.
 */
export const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } as const;

/** The slots, which are filled again and again. */
export function createSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * SLOT_BYTES);
}

/** The bytes of a piece, which change once its slot was given back. */
export function bytesOf(slots: SharedArrayBuffer, { slot, bytes }: PieceMessage): Uint8Array {
  return new Uint8Array(slots, slot * SLOT_BYTES, bytes);
}

/** @param waitMs so long at most a slot is waited for; for ever when it is left out. Then a `write` throws, with the code ETIMEDOUT */
export function createPieceWriter(
  slots: SharedArrayBuffer,
  tell: (piece: PieceMessage) => void,
  waitMs?: number,
): PieceWriter {
  const free = Array.from({ length: SLOTS }, (_, slot) => slot);
  let waiting: PromiseWithResolvers<number> | null = null;
  let slot: number | null = null;
  let filled = 0;
  const nextFree = (): Promise<number> => {
    const next = Promise.withResolvers<number>();
    waiting = next;
    if (waitMs === undefined) return next.promise;
    const late = (): void => next.reject(Object.assign(new Error('nothing is read'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(late, waitMs);
    return next.promise.finally(() => clearTimeout(timer));
  };
  const flush = (): void => {
    if (slot !== null) tell({ type: 'piece', slot, bytes: filled });
    slot = null;
    filled = 0;
  };
  return {
    async write(bytes) {
      for (let read = 0; read < bytes.length; ) {
        slot ??= free.pop() ?? (await nextFree());
        const part = bytes.subarray(read, read + SLOT_BYTES - filled);
        new Uint8Array(slots, slot * SLOT_BYTES + filled, part.length).set(part);
        filled += part.length;
        read += part.length;
        if (filled === SLOT_BYTES) flush();
      }
    },
    flush,
    takeBack(given) {
      if (waiting === null) free.push(given);
      else waiting.resolve(given);
      waiting = null;
    },
    fail: (error) => waiting?.reject(error),
  };
}
