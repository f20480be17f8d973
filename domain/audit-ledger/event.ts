/** `0x` and 64 lower-case hex digits: 32 bytes, as EVM tools write them. */
export type Hash = `0x${string}`;

/** Before the first event of a namespace there is this hash. */
export const GENESIS_HASH: Hash = `0x${'0'.repeat(64)}`;

/**
 * An event as the ledger keeps it (spec 3, "Audit event"), one document each.
 *
 * Its hash covers every field: `eventHash = SHA-256(header)`, where the header is the canonical JSON (RFC 8785) of
 * `{ chainIndex, createdAt, emitter, entityId, eventType, id, namespace, orgSlug, payloadHash, prevHash, version: 1 }` and
 * `payloadHash = SHA-256(payload)`. A proof can so be shown without showing what happened: the payload stays at home.
 */
export interface LedgerEvent {
  /** `evt_…` */
  readonly id: string;
  /** The chain it belongs to: the name of the service unless the emitter says otherwise. */
  readonly namespace: string;
  /** 0 for the first event of the namespace, then without gaps. Unique with the namespace. */
  readonly chainIndex: number;
  /** Org that owns the event, from the emitter's token. */
  readonly orgSlug: string;
  /** `sub` of the emitter's token. */
  readonly emitter: string;
  /** `{resource}.{action}`, lower case, dot-separated. */
  readonly eventType: string;
  readonly entityId: string;
  /** Canonical JSON of `{ data, metadata }`, exactly the bytes that were hashed. */
  readonly payload: string;
  /** Set by the ledger, milliseconds; never earlier than that of the event before it in the namespace. */
  readonly createdAt: Date;
  /** `eventHash` of the event before it; {@link GENESIS_HASH} for the first. */
  readonly prevHash: Hash;
  readonly eventHash: Hash;
  /** SHA-256 of emitter, key and request for repeats of the same request; null without a key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

/** What a service sends. */
export interface EventDraft {
  readonly namespace: string;
  readonly orgSlug: string;
  readonly emitter: string;
  readonly eventType: string;
  readonly entityId: string;
  /** Canonical JSON of `{ data, metadata }`. */
  readonly payload: string;
  readonly idempotency: LedgerEvent['idempotency'];
}

/** The last event of a namespace. */
export interface ChainHead {
  readonly chainIndex: number;
  readonly eventHash: Hash;
  readonly createdAt: Date;
}

/** The ledger's own namespace: day closes of the whole ledger, `anchor.missed`. */
export const LEDGER_NAMESPACE = 'ledger';
