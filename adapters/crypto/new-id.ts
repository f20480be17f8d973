import { randomBytes } from 'node:crypto';
import { formatId, type NewId } from '../../domain/ids.ts';

/** A new id from the system's random source: 100 bits, so that ids neither collide nor can be guessed. */
export const newId: NewId = (kind) => formatId(kind, randomBytes(20));
