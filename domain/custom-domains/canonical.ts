import { isHostName } from './certificates/host-name.ts';
import { type CustomDomain, type DomainHolder, isHeld, isVerified } from './custom-domain.ts';

const WWW = 'www.';

/** The name that is the same one to people: with `www.` before it, or without. Null where that is no host, as of `www.com`. */
export function counterpartOf(domain: string): string | null {
  const counterpart = domain.startsWith(WWW) ? domain.slice(WWW.length) : `${WWW}${domain}`;
  return isHostName(counterpart) ? counterpart : null;
}

/**
 * The name that requests for a name are led to: its counterpart, where that is the canonical one of the same service. Only
 * once both were seen served over TLS: a redirect would lead to an error else. Two canonical ones lead nowhere.
 * @param other the counterpart of the name; null where nobody knows it
 */
export function redirectOf(holder: DomainHolder, other: CustomDomain | null): string | null {
  if (holder.canonical || !isHeld(other) || !other.holder.canonical) return null;
  const { serviceId, environment } = other.holder;
  const isSame = serviceId === holder.serviceId && environment === holder.environment;
  return isSame && isServedHere(holder) && isServedHere(other.holder) ? other.domain : null;
}

/** In this mode alone, the platform serves TLS itself. */
function isServedHere(holder: DomainHolder): boolean {
  return holder.mode === 'direct' && isVerified(holder);
}
