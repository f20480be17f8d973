import { changeProperty } from '../../domain/properties/change-property.ts';
import { isVisible } from '../../domain/properties/dns-look.ts';
import { changedProperty } from '../../domain/properties/property.ts';
import { advance, VERIFICATION_LOST } from '../../domain/properties/verification.ts';
import type { PropertiesActivityDeps } from './deps.ts';
import { requireEngine } from './verify-property.ts';

/** What a re-check found. `gone`: the Property is not verified any more, or is ignored. */
export type Rechecked = 'verified' | 'lost' | 'gone';

/**
 * Asks the search engine whether a verified domain still is. The DNS is looked at for people to know, and never written:
 * as long as the search engine confirms, the domain is verified. Idempotent.
 */
export async function recheckProperty(
  deps: PropertiesActivityDeps,
  domain: string,
  signal: AbortSignal,
): Promise<Rechecked> {
  const property = await deps.properties.find(domain);
  if (property === null || property.ignored !== null || property.verification.state !== 'verified') return 'gone';
  const { token } = property.verification;
  const isVerified = await requireEngine(deps).isVerified(domain);
  const recordSeen = token === null ? null : isVisible(await deps.dns.lookUpText(domain, token, signal), token);
  const at = deps.now();
  if (!isVerified) {
    const message = 'The search engine no longer holds the platform for an owner; verify again';
    const error = { source: 'google', code: VERIFICATION_LOST, message };
    await changeProperty(deps.properties, domain, (one) => advance(one, 'error', { at, error }));
    return 'lost';
  }
  await changeProperty(deps.properties, domain, (one) => {
    if (one.verification.state !== 'verified') return null;
    const isNews = recordSeen !== one.verification.recordSeen;
    const event = isNews ? { event: 'checked', detail: recordSeen ? 'record seen' : 'record not seen' } : {};
    return changedProperty(one, { verification: { ...one.verification, checkedAt: at, recordSeen } }, { at, ...event });
  });
  return 'verified';
}
