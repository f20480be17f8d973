import { LEDGER_NAMESPACE } from '../../domain/audit-ledger/event.ts';
import { isReservedType, namespaceOfClient } from '../../domain/audit-ledger/grammar.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type InternalCaller, isPlatform, type TokenServiceCaller } from '../http/caller.ts';
import { requireOrg } from './readable-events.ts';

/** Who emits: the owning org and `sub` of the token, and the namespace its events go to. */
export interface Emitter {
  readonly orgSlug: string;
  readonly sub: string;
  /** Of the client of the token; null where there is none. */
  readonly namespace: string | null;
  readonly platform: boolean;
  /** True for the internal key: it stands for many services of the platform, and for every org they work for. */
  readonly internal: boolean;
}

export type EmittingCaller = InternalCaller | TokenServiceCaller;

/** Reads the emitter off the token (spec 3, "Authentication", 2). @throws ORG_CLAIM_MISSING for a token that names no org */
export function emitterOf(caller: EmittingCaller): Emitter {
  const orgSlug = requireOrg(caller);
  const clientId = caller.kind === 'internal' ? null : caller.clientId;
  return {
    orgSlug,
    sub: caller.name,
    namespace: clientId === null ? null : namespaceOfClient(clientId),
    platform: isPlatform(caller),
    internal: caller.kind === 'internal',
  };
}

/**
 * The org that owns an event: that of the token (spec 3, "Authentication", 2). The internal key has none, so whoever has it
 * names the org that the event is about; what is about none is the platform's own. @throws EVENT_INVALID
 */
export function ownerFor(emitter: Emitter, named: string | undefined): string {
  if (named === undefined) return emitter.orgSlug;
  if (emitter.internal) return named;
  const message = 'the org is that of your token: leave it out';
  throw new FairleadError('EVENT_INVALID', `The event is not valid: orgSlug: ${message}`, {
    details: [{ field: 'orgSlug', message }],
  });
}

/**
 * The namespace an event goes to: the emitter's own when none is named. Only the platform may name another.
 * @throws EVENT_INVALID, FORBIDDEN
 */
export function namespaceFor(emitter: Emitter, named: string | undefined, eventType: string): string {
  const namespace = named ?? emitter.namespace;
  if (namespace === null)
    throw new FairleadError('EVENT_INVALID', 'namespace: this caller has none of its own, name one');
  if (namespace === LEDGER_NAMESPACE || isReservedType(eventType)) {
    throw new FairleadError(
      'FORBIDDEN',
      'The namespace ledger and the types ledger.* and anchor.* are written by the ledger itself',
    );
  }
  if (!emitter.platform && namespace !== emitter.namespace) {
    throw new FairleadError(
      'FORBIDDEN',
      `This caller writes to the namespace ${emitter.namespace} only: leave namespace out`,
    );
  }
  return namespace;
}
