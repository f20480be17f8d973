import { z } from 'zod';
import { verifierKey } from '../../domain/audit-ledger/checkpoint.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { LedgerDeps } from './deps.ts';

/** Two weeks of hours. */
const MAX_CHECKPOINTS = 336;

const checkpointSchema = z.object({
  namespace: z.string().nullable(),
  size: z.int(),
  head: hashSchema,
  time: z.string(),
  note: z.string(),
});

const keySchema = z.object({
  keyId: z.string(),
  algorithm: z.literal('Ed25519'),
  publicKey: z.string().meta({ description: '32 bytes in base64' }),
  ledger: z.string().meta({ description: 'Name of the ledger in what the key signed' }),
  from: z.string().nullable().meta({ description: 'What is dated before counts as not signed; null: no limit' }),
  until: z.string().nullable().meta({ description: 'The same for what is dated after' }),
  verifierKey: z.string().meta({ description: 'The key as tools for signed notes take it (C2SP signed-note)' }),
});

/** What anybody may know: keys and signed checkpoints hold no event data. */
export function checkpointRoutes({ checkpoints, signer, settings }: LedgerDeps): readonly Route[] {
  const { ledgerName } = settings;
  return [
    defineRoute({
      method: 'get',
      path: '/v1/keys',
      summary: 'Keys that receipts and checkpoints are signed with, the current one first',
      tag: 'verification',
      callers: 'public',
      responses: {
        200: {
          description: 'The keys',
          schema: z.object({ ledger: z.string(), keys: z.array(keySchema) }),
        },
      },
      handle: async () => {
        const keys = signer.keys.map((key) => ({
          keyId: key.keyId,
          algorithm: 'Ed25519' as const,
          publicKey: key.publicKey,
          ledger: key.ledger ?? ledgerName,
          from: key.from?.toISOString() ?? null,
          until: key.until?.toISOString() ?? null,
          verifierKey: verifierKey(ledgerName, key),
        }));
        return { status: 200, data: { ledger: ledgerName, keys } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/checkpoints',
      summary: 'Signed checkpoints of a namespace, or of the whole ledger, newest first',
      description:
        'Keep them elsewhere: a chain that is cut later, or told differently to somebody else, contradicts them.',
      tag: 'verification',
      callers: 'public',
      query: z.strictObject({
        namespace: z.string().max(63).optional(),
        limit: z.coerce.number().int().min(1).max(MAX_CHECKPOINTS).default(24),
      }),
      responses: {
        200: { description: 'The checkpoints', schema: z.object({ checkpoints: z.array(checkpointSchema) }) },
      },
      handle: async ({ query }) => {
        const found = await checkpoints.newest(query.namespace ?? null, query.limit);
        const rows = found.map(({ time, ...rest }) => ({ ...rest, time: time.toISOString() }));
        return { status: 200, data: { checkpoints: rows } };
      },
    }),
  ];
}
