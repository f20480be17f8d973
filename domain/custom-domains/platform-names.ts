import type { PlatformNames } from './domain-name.ts';
import type { DomainSettings } from './settings.ts';

/** Hosts of the platform's own parts, by their addresses. */
export interface PlatformAddresses
  extends Pick<DomainSettings, 'platformDomain' | 'ingressTarget' | 'customersTarget'> {
  /** Public addresses of its services. */
  readonly urls: readonly (string | undefined)[];
}

/** The names that no service may have: those of the platform, and those that names of services lead to. */
export function platformNames({
  platformDomain,
  ingressTarget,
  customersTarget,
  urls,
}: PlatformAddresses): PlatformNames {
  const hosts = urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
  return { platformDomain, hosts: [...hosts, ingressTarget, customersTarget].filter((host) => host !== null) };
}
