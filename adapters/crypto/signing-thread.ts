import { type KeyObject, sign } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** Texts to sign; answered under the same id. */
export interface SigningRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

/** The signatures one after the other. */
export interface SigningResult {
  readonly id: number;
  readonly signatures: Uint8Array;
}

export const SIGNATURE_BYTES = 64;

interface Waiting {
  readonly texts: readonly string[];
  readonly resolve: (signatures: readonly Uint8Array[]) => void;
}

/**
 * Signs many texts with one Ed25519 key on a thread of its own, which it starts with the first of them and which keeps
 * the process alive only while it has some. 500 signatures take 15 ms: in place nothing else would get done meanwhile, and the thread
 * pool takes a sixth longer, as it is told of each by itself. Should the thread end, what it had is signed in place.
 */
export function createSigningThread(
  privateKey: KeyObject,
): (texts: readonly string[]) => Promise<readonly Uint8Array[]> {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const worker = new Worker(new URL('./signing-thread-main.ts', import.meta.url), { workerData: { privateKey } });
    worker.on('message', ({ id, signatures }: SigningResult) => {
      waiting.get(id)?.resolve(split(signatures));
      waiting.delete(id);
      if (waiting.size === 0) worker.unref();
    });
    // An error ends it: its exit follows.
    worker.on('error', () => {});
    worker.on('exit', () => {
      thread = undefined;
      for (const { texts, resolve } of waiting.values()) resolve(signInPlace(texts));
      waiting.clear();
    });
    return worker;
  }

  function signInPlace(texts: readonly string[]): readonly Uint8Array[] {
    return texts.map((text) => sign(null, Buffer.from(text), privateKey));
  }

  return (texts) => {
    thread ??= start();
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<readonly Uint8Array[]>();
    waiting.set(id, { texts, resolve });
    thread.ref();
    thread.postMessage({ id, texts } satisfies SigningRequest);
    return promise;
  };
}

function split(signatures: Uint8Array): readonly Uint8Array[] {
  const count = signatures.length / SIGNATURE_BYTES;
  return Array.from({ length: count }, (_, index) =>
    signatures.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES),
  );
}
