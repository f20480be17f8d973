import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import type { QuotaCounters } from '../../../domain/properties/quota.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { AT_EXPIRY, createExpirySweep } from '../expiry-sweep.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface SlotDocument {
  readonly _id: string;
  readonly used: number;
  readonly expiresAt: Date;
}

interface PauseDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

interface RuleDocument {
  readonly _id: string;
  readonly slotMs: number;
}

const usedSchema = z.object({ used: z.int() });
const ruleSchema = z.object({ slotMs: z.number().positive() });

/** A slot may be a day, and nobody counts in one that is older than that. */
const KEPT_MS = 2 * 86_400_000;

/**
 * Counts calls in MongoDB: one document a scope and slot, and one a rule for the length of its slots. Calls are taken in one conditional increment, so that all
 * processes together take no more than the slot has.
 */
export function createQuotaCounters(deps: { readonly db: Db; readonly now: Clock }): QuotaCounters {
  const slots = deps.db.collection<SlotDocument>(COLLECTIONS.quotaSlots);
  const pauses = deps.db.collection<PauseDocument>(COLLECTIONS.quotaPauses);
  const rules = deps.db.collection<RuleDocument>(COLLECTIONS.quotaRules);
  const sweepSlots = createExpirySweep(deps, COLLECTIONS.quotaSlots, AT_EXPIRY);
  const sweepPauses = createExpirySweep(deps, COLLECTIONS.quotaPauses, AT_EXPIRY);

  /** Whether the calls fit into the slot, and are counted. */
  async function add(_id: string, amount: number, limit: number, expiresAt: Date): Promise<boolean> {
    try {
      const fits = { _id, used: { $lte: limit - amount } };
      const update = { $inc: { used: amount }, $setOnInsert: { expiresAt } };
      const result = await mongoCall(() => slots.updateOne(fits, update, { upsert: true }));
      return result.matchedCount + result.upsertedCount === 1;
    } catch (error) {
      // It is there, and they do not fit.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    async slotMs(rule, proposed) {
      try {
        await mongoCall(() => rules.updateOne({ _id: rule }, { $setOnInsert: { slotMs: proposed } }, { upsert: true }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      return readDocument(`rule ${rule}`, ruleSchema, await mongoCall(() => rules.findOne({ _id: rule }))).slotMs;
    },
    async take(key, slot, want, limit) {
      await sweepSlots();
      const _id = `${key}/${slot.toISOString()}`;
      const expiresAt = new Date(slot.getTime() + KEPT_MS);
      for (let amount = Math.min(want, limit); amount > 0; ) {
        if (await add(_id, amount, limit, expiresAt)) return amount;
        const document = await mongoCall(() => slots.findOne({ _id }));
        // What others have taken stays taken: each turn asks for less.
        const left = document === null ? amount : limit - usedSchema.parse(document).used;
        amount = Math.min(amount - 1, left);
      }
      return 0;
    },
    async pause(key, until) {
      await sweepPauses();
      try {
        const shorter = { _id: key, expiresAt: { $lt: until } };
        await mongoCall(() => pauses.updateOne(shorter, { $set: { expiresAt: until } }, { upsert: true }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async pausedUntil(keys, now) {
      const running = { _id: { $in: [...keys] }, expiresAt: { $gt: now } };
      const ends = (await mongoCall(() => pauses.find(running).toArray())).map(({ expiresAt }) => expiresAt.getTime());
      return ends.length === 0 ? null : new Date(Math.max(...ends));
    },
  };
}
