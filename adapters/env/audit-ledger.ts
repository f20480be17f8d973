import { z } from 'zod';
import { baseUrl, encryptionKeys, positiveCount, secret } from './variable-kinds.ts';

/** No message repeats what it says. */
const jsonText = z.string().transform((value, context) => {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
});

/** A time, or null for none. */
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .nullable()
  .default(null);

/** Keys that the ledger signed with before, and names that it had: public halves alone, each with the time it counts for. */
const retiredKeys = jsonText.pipe(
  z.array(
    z.strictObject({
      publicKey: z.base64().refine((key) => Buffer.from(key, 'base64').length === 32, '32 bytes in base64'),
      ledger: z.string().min(1).nullable().default(null),
      from: time,
      until: time,
    }),
  ),
);

/** What the audit ledger reads besides what every service reads. */
export const auditLedgerSection = {
  /** Seeds of Ed25519 keys that sign receipts and checkpoints: the first signs, all are published. */
  AUDIT_SIGNING_KEY: secret(encryptionKeys),
  /** `[{ publicKey, ledger?, from?, until? }]`: what signed before the current key, or under an earlier name. */
  AUDIT_RETIRED_KEYS: retiredKeys.default([]),
  /** Events of one caller in a minute. */
  AUDIT_EMIT_RATE_LIMIT: positiveCount.default(600),
};

const nodeUrl = z.url({ protocol: /^https?$/ });

/** Chains that the audit ledger anchors on. Their addresses may hold keys of providers: no message repeats them. */
const chains = jsonText.pipe(
  z
    .array(
      z
        .strictObject({
          chainId: z.int().min(1),
          rpcUrl: nodeUrl.optional(),
          rpcUrls: z.array(nodeUrl).min(1).max(10).optional(),
          contract: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address'),
          finality: z.enum(['finalized', 'confirmations']).default('finalized'),
          confirmations: z.int().min(1).max(1_000).default(3),
          explorerUrl: baseUrl.nullable().default(null),
        })
        .refine(
          ({ rpcUrl, rpcUrls }) => (rpcUrl === undefined) !== (rpcUrls === undefined),
          'one of rpcUrl and rpcUrls',
        )
        .transform(({ rpcUrl, rpcUrls, ...chain }) => ({ ...chain, rpcUrls: rpcUrls ?? [rpcUrl ?? ''] })),
    )
    .refine((rows) => new Set(rows.map(({ chainId }) => chainId)).size === rows.length, 'a chain twice'),
);

/** What the worker of the ledger reads; without AUDIT_SIGNING_KEY it leaves the ledger to others. */
export const auditLedgerWorkerSection = {
  AUDIT_SIGNING_KEY: secret(encryptionKeys.optional()),
  AUDIT_RETIRED_KEYS: retiredKeys.default([]),
  /** `[{ chainId, rpcUrl or rpcUrls, contract, finality?, confirmations?, explorerUrl? }]` */
  AUDIT_CHAINS: chains.default([]),
  /** Private key of the account that anchors; 32 bytes. */
  AUDIT_SIGNER_KEY: secret(encryptionKeys.refine((keys) => keys.length === 1, 'one key').optional()),
  /** What a unit of gas may cost; above it anchoring waits for another hour. */
  AUDIT_MAX_FEE_GWEI: positiveCount.default(200),
};
