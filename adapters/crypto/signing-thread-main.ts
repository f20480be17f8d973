import { type KeyObject, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { SigningRequest, SigningResult } from './signing-thread.ts';

/** What the thread of signing-thread.ts runs: it signs texts with the key it was given, until the process ends. */
const { privateKey } = workerData as { readonly privateKey: KeyObject };

parentPort?.on('message', ({ id, texts }: SigningRequest) => {
  const signatures = texts.map((text) => sign(null, Buffer.from(text), privateKey));
  const result: SigningResult = { id, signatures: Buffer.concat(signatures) };
  parentPort?.postMessage(result);
});
