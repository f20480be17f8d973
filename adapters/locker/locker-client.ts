import { z } from 'zod';
import type { LockerSource } from '../../domain/config/secret-import.ts';
import { FairleadError } from '../../domain/errors.ts';
import { MAX_VALUE_LENGTH } from '../../domain/locker/item.ts';
import { lockerHandleSchema } from '../../domain/locker-handle.ts';
import type { ServiceTokens } from '../../sdk/auth/service-tokens.ts';
import { type JsonAnswer, postJson } from './post-json.ts';

const TIMEOUT_MS = 8_000;

export interface LockerClientOptions {
  /** LOCKER_URL, without a trailing slash. */
  readonly url: string;
  /** Of the builder's own client, for the locker, with the scope `locker-resolve`. */
  readonly tokens: ServiceTokens;
  readonly timeoutMs?: number;
}

const replySchema = z.object({
  success: z.literal(true),
  data: z.object({ handle: lockerHandleSchema, value: z.string().max(MAX_VALUE_LENGTH) }),
});

/** Codes look like this; nothing else of an answer that is not understood is repeated. */
const refusalSchema = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string().regex(/^[A-Z][A-Z_]{1,40}$/) }),
});

/** Why the locker refuses, in our words: an answer of its own could hold what nobody is to see. */
const REASONS: Readonly<Record<string, string>> = {
  NOT_BOUND:
    'the item is not bound to <service>; an admin of its org binds it: `fairlead locker bind <handle> --service <service>`',
  ORG_MISMATCH: 'the handle is not in the locker of the org that owns the service',
  PERSONAL_NOT_RESOLVABLE: 'a personal item is given to no service; put it into the locker of the org',
  ITEM_SEALED: 'the item is sealed; give it a new value',
  FIELD_AMBIGUOUS: 'the item has not exactly one secret field; name the field: lk://<org>/<vault>/<item>/<field>',
};

/** The locker over HTTP (`POST /api/resolve`). */
export function createLockerClient(options: LockerClientOptions): LockerSource {
  return {
    async resolve(source, destination) {
      const named = 'handle' in source ? source.handle : source.legacyAlias;
      return readAnswer(await ask(options, { source, destination }), { named, service: destination.service });
    },
  };
}

/** A token that was revoked meanwhile is replaced once. */
async function ask({ url, tokens, timeoutMs = TIMEOUT_MS }: LockerClientOptions, body: unknown): Promise<JsonAnswer> {
  try {
    const token = await tokens.token();
    const first = await postJson(`${url}/api/resolve`, { token, body, timeoutMs });
    if (first.status !== 401) return first;
    tokens.forget(token);
    return await postJson(`${url}/api/resolve`, { token: await tokens.token(), body, timeoutMs });
  } catch (cause) {
    throw unreachable('does not answer, or the builder gets no token for it', cause);
  }
}

function readAnswer(
  { status, body }: JsonAnswer,
  { named, service }: { readonly named: string; readonly service: string },
): { handle: string; value: string } {
  const resolved = replySchema.safeParse(body);
  if (status === 200 && resolved.success) return resolved.data.data;
  const refused = refusalSchema.safeParse(body);
  if (!refused.success || status < 400) throw unreachable(`answered ${status} in an unexpected format`);
  const { code } = refused.data.error;
  if (status === 404 && code === 'LOCKER_ITEM_NOT_FOUND') {
    throw new FairleadError('LOCKER_HANDLE_NOT_FOUND', `The locker has nothing under ${named}`);
  }
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (reason === undefined && status !== 401 && status !== 403) throw unreachable(`answered ${status} ${code}`);
  const known = reason === undefined ? 'FORBIDDEN' : code;
  const why = reason?.replaceAll('<handle>', () => named).replaceAll('<service>', () => service);
  const message = `${known}: the locker does not give ${named}: ${why ?? 'it refuses the builder'}`;
  throw new FairleadError('LOCKER_RESOLVE_FORBIDDEN', message, { details: { code: known } });
}

function unreachable(what: string, cause?: unknown): FairleadError {
  return new FairleadError('LOCKER_UNREACHABLE', `The locker ${what}. Nothing was changed.`, {
    system: 'locker',
    retryable: true,
    cause,
  });
}
