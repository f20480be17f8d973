import { z } from 'zod';
import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isIdempotencyKey } from '../../domain/idempotency-key.ts';
import type { ServiceTokens } from '../auth/service-tokens.ts';

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

/** Refusals that say nothing of the event: of the caller, of the address, or of the moment. */
const NOT_ABOUT_THE_EVENT: ReadonlySet<number> = new Set([401, 404, 405, 408, 429]);

/** 413: also a proxy in front of the ledger will never let an event through that is too large for it. */
const TOO_LARGE = 413;

/** True when the ledger itself says no to an event, and would say so again. */
export function isAboutEvent({ status, code }: LedgerRefusal): boolean {
  return status === TOO_LARGE || (code !== codeOfStatus(status) && !NOT_ABOUT_THE_EVENT.has(status));
}

/** The ledger failed at a request by an error that it has no code for, so that the same request may always fail. */
export class LedgerFault extends FairleadError {
  constructor() {
    super('UNAVAILABLE', 'The audit ledger failed', { retryable: true });
  }
}

/** The code of an answer that is not in the ledger's words, as that of a proxy in front of it. */
const codeOfStatus = (status: number): string => `HTTP_${status}`;

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
  /** How long an answer may take. */
  requestLimitMs?: number;
}): LedgerConnection {
  const { credential, requestLimitMs = REQUEST_LIMIT_MS } = options;
  const base = options.url.replace(/\/+$/, '');

  async function send(path: string, init: RequestInit, token: string | null): Promise<Response> {
    const headers = { ...init.headers, ...headerOf(credential, token) };
    const signal = AbortSignal.timeout(requestLimitMs);
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
      if (!isIdempotencyKey(key)) {
        throw new LedgerRefusal(400, 'EVENT_INVALID', 'The idempotency key is not 1 to 200 visible ASCII characters');
      }
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
  if (status === 500 && error?.code === 'INTERNAL') return new LedgerFault();
  if (status < 400 || status >= 500) {
    return new FairleadError('UNAVAILABLE', `The audit ledger answered with status ${status}`, { retryable: true });
  }
  const message = error?.message ?? `The audit ledger refused with status ${status}`;
  return new LedgerRefusal(status, error?.code ?? codeOfStatus(status), message);
}
