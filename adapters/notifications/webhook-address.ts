import ipaddr from 'ipaddr.js';
import { originsTrustedFor, type TrustedOrigin } from '../../domain/notifications/trusted-origins.ts';
import { API_POLICY, checkAddress, parseAddress, refused } from '../http-fetch/fetch-policy.ts';
import { isPublic } from '../public-address.ts';

/**
 * Says of the address of a webhook what its delivery would say, as far as the text shows it: what its name resolves to is
 * checked when something is sent there.
 * @param listed WEBHOOK_TRUSTED_ORIGINS
 * @throws SOURCE_REFUSED from the function it gives
 */
export function createWebhookAddressCheck(
  listed: readonly TrustedOrigin[],
  platformOrg: string,
): (address: string, org: string | null) => void {
  return (address, org) => {
    const url = parseAddress(address);
    if (originsTrustedFor(listed, org, platformOrg).includes(url.origin)) return;
    checkAddress(url, API_POLICY);
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(literal) && !isPublic(literal)) throw refused(url, 'is not on the public internet');
  };
}
