import { randomFillSync } from 'node:crypto';
import { formatId, type NewId } from '../../domain/ids.ts';

const ID_BYTES = 20;

/** Random bytes are drawn for many ids at once: asking the system for twenty costs as much as for thousands. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** A new id from the system's random source: 100 bits, so that ids neither collide nor can be guessed. */
export const newId: NewId = (kind) => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  return formatId(kind, bytes);
};
