import { z } from 'zod';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ServiceTokens } from '../auth/service-tokens.ts';
import type { PendingEvent } from './audit-event.ts';

const REQUEST_LIMIT_MS = 10_000;

export const receiptSchema: z.ZodType<Receipt> = z.object({
  version: z.literal(1),
  eventId: z.string(),
  namespace: z.string(),
  chainIndex: z.int().min(0),
  prevHash: hashSchema,
  eventHash: hashSchema,
  createdAt: z.iso.datetime(),
  keyId: z.string(),
  signature: z.string(),
});

const errorReply = z.object({ error: z.object({ code: z.string().max(100), message: z.string().max(2_000) }) });
const emitReply = z.object({ data: z.object({ receipt: receiptSchema }) });

/** The ledger said no. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal';
  readonly status: number;
  /** The ledger's own code, such as EVENT_INVALID. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** How the ledger knows the caller. */
export type LedgerCredential =
  | { readonly kind: 'tokens'; readonly tokens: ServiceTokens }
  | { readonly kind: 'key'; readonly key: string };

export interface LedgerConnection {
  /** @throws LedgerRefusal; UNAVAILABLE when the ledger, or the provider of tokens, does not answer */
  emit(event: PendingEvent): Promise<Receipt>;
  /** A GET that answers in the envelope. @throws as `emit` */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>;
}

/** The ledger's HTTP API as one caller. A token that is refused is replaced by a new one, once. */
export function connectLedger(options: {
  url: string;
  credential: LedgerCredential;
  fetch: typeof fetch;
}): LedgerConnection {
  const { credential } = options;
  const base = options.url.replace(/\/+$/, '');

  async function send(path: string, init: RequestInit, token: string | null): Promise<Response> {
    const headers = { ...init.headers, ...headerOf(credential, token) };
    const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
    try {
      // The credential follows no redirect.
      return await options.fetch(base + path, { ...init, headers, redirect: 'error', signal });
    } catch (cause) {
      throw new FairleadError('UNAVAILABLE', 'The audit ledger does not answer', { cause, retryable: true });
    }
  }
  async function call<T>(path: string, init: RequestInit, schema: z.ZodType<T>): Promise<T> {
    const token = credential.kind === 'tokens' ? await credential.tokens.token() : null;
    let response = await send(path, init, token);
    if (response.status === 401 && credential.kind === 'tokens' && token !== null) {
      await response.body?.cancel();
      credential.tokens.forget(token);
      response = await send(path, init, await credential.tokens.token());
    }
    const reply: unknown = await response.json().catch(() => null);
    const parsed = schema.safeParse(reply);
    if (response.ok && parsed.success) return parsed.data;
    throw refusalOf(response, reply);
  }
  return {
    async emit({ key, body }) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      return (await call('/v1/events/emit', { method: 'POST', headers, body }, emitReply)).data.receipt;
    },
    async get(path, schema) {
      const envelope = z.object({ data: schema });
      return (await call(path, { method: 'GET' }, envelope)).data;
    },
  };
}

function headerOf(credential: LedgerCredential, token: string | null): Record<string, string> {
  return credential.kind === 'key' ? { 'x-internal-key': credential.key } : { authorization: `Bearer ${token}` };
}

function refusalOf({ status }: Response, reply: unknown): Error {
  const error = errorReply.safeParse(reply).data?.error;
  if (status < 400 || status >= 500) {
    return new FairleadError('UNAVAILABLE', `The audit ledger answered with status ${status}`, { retryable: true });
  }
  const message = error?.message ?? `The audit ledger refused with status ${status}`;
  return new LedgerRefusal(status, error?.code ?? `HTTP_${status}`, message);
}
