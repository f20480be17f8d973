import { keccak_256 } from '@noble/hashes/sha3.js';
import { Binary } from 'mongodb';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import type { BatchContent } from '../../../domain/audit-ledger/ports.ts';

/** Documents of the leaf lists of days. */

/** Hashes in one document: 64 KiB. */
export const LISTED_PER_DOCUMENT = 2_048;

type ListDocument = { readonly _id: string; readonly nodes: Binary };

/** @param first place in the list at which the document begins */
export const listId = (root: Hash, first: number): string => `${root}/list/${first}`;

/** Place in the list at which its last document begins. */
export const lastListed = (leafCount: number): number => leafCount - 1 - ((leafCount - 1) % LISTED_PER_DOCUMENT);

export function listDocuments(root: Hash, { eventHashes, tree }: BatchContent): Iterable<ListDocument> {
  const list = createList(tree.leafCount);
  for (const [leaf, position] of tree.positions.entries()) {
    list.add(eventHashes.subarray(leaf * 32, (leaf + 1) * 32), position);
  }
  return list.documents(root);
}

/** Brings the hashes of events into the order of the leaf list: the last node of the tree is the smallest leaf. */
export function createList(leafCount: number) {
  const hashes = new Uint8Array(leafCount * 32);
  return {
    add: (eventHash: Uint8Array, position: number) => hashes.set(eventHash, (2 * leafCount - 2 - position) * 32),
    *documents(root: Hash): Generator<ListDocument> {
      for (let first = 0; first < leafCount; first += LISTED_PER_DOCUMENT) {
        const count = Math.min(LISTED_PER_DOCUMENT, leafCount - first);
        const listed = Array.from({ length: count }, (_, offset) => {
          return keccak_256(hashes.subarray((first + offset) * 32, (first + offset + 1) * 32));
        });
        yield { _id: listId(root, first), nodes: new Binary(Buffer.concat(listed)) };
      }
    },
  };
}
