/** What names in the ledger may look like (spec 3, "Audit event"). */

/** `{resource}.{action}` or deeper: lower case, dot-separated, without hyphens. */
const EVENT_TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
export const EVENT_TYPE_LENGTH = 128;

/** A DNS label (RFC 1123, 2.1), as the names of services are. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Nothing that cannot be seen: no control, format or private characters, lone surrogates or line ends. */
const ENTITY_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;

/** What only the platform may write: an auditor takes these events for the ledger's own. */
const RESERVED_TYPES = ['ledger.', 'anchor.'];

const ENVIRONMENT_SUFFIX = /-(?:prod|uat|sandbox)$/;

export function isEventType(text: string): boolean {
  return text.length <= EVENT_TYPE_LENGTH && EVENT_TYPE.test(text);
}

export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

export function isEntityId(text: string): boolean {
  return ENTITY_ID.test(text) && text.trim() === text;
}

export function isReservedType(eventType: string): boolean {
  return RESERVED_TYPES.some((prefix) => eventType.startsWith(prefix));
}

/** The namespace of a client's events: the service it was made for, whatever the environment (`shop-prod` is `shop`). */
export function namespaceOfClient(clientId: string): string {
  return clientId.replace(ENVIRONMENT_SUFFIX, '');
}
