import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MerkleTree, TreeBuilder } from '../../domain/audit-ledger/merkle-tree.ts';
import { FairleadError } from '../../domain/errors.ts';

/** Builds Merkle trees off the event loop: each in a thread that ends with it and gives its memory back. */
export function createTreeBuilder(): TreeBuilder {
  return {
    async build(eventHashes, signal) {
      signal?.throwIfAborted();
      // A copy of its own memory, which `slice` of a Buffer is not: it goes to the thread for good.
      const own = new Uint8Array(eventHashes);
      const thread = new Worker(new URL('./tree-thread.ts', import.meta.url), {
        workerData: own,
        transferList: [own.buffer],
      });
      const abort = (): void => void thread.terminate();
      signal?.addEventListener('abort', abort, { once: true });
      try {
        // Rejects with whatever the thread throws.
        const [tree] = await Promise.race([once(thread, 'message'), endedEarly(thread)]);
        return tree as MerkleTree;
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener('abort', abort);
        await thread.terminate();
      }
    },
  };
}

async function endedEarly(thread: Worker): Promise<never> {
  const [code] = await once(thread, 'exit');
  throw new FairleadError('INTERNAL', `the thread that builds the Merkle tree ended with ${code} and without a tree`);
}
