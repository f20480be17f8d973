import type { Environment } from '../environment.ts';
import type { Monitor } from './monitor.ts';

/** In the place of a host that the platform gives. */
const PLATFORM = 'platform';

/** What `POST /api/pulse/register` is given (spec 3, "Monitor record"). */
export interface Registration {
  readonly serviceName: string;
  /** Null: a known one stays. */
  readonly org: string | null;
  readonly namespace: string;
  readonly environment: Environment;
  readonly url: string;
  /** A path that `url` gets where it has none. */
  readonly healthEndpoint: string | null;
  /** Seconds; null: {@link defaultInterval}. */
  readonly interval: number | null;
  readonly unmanaged: boolean;
  readonly expectStatus: number | null;
  readonly expectBodyContains: string | null;
}

/** Seconds (spec 3, "Limits"). */
export function defaultInterval(environment: Environment, isPlatformHost: boolean): number {
  return isPlatformHost && environment === 'prod' ? 30 : 60;
}

/**
 * What a monitor is found by: the service, its environment, and `platform` for whatever address the platform gives it, or
 * the host of a custom domain. So a changed address leaves no second monitor behind.
 */
export function naturalKey(
  { serviceName, environment, url }: Pick<Registration, 'serviceName' | 'environment' | 'url'>,
  isPlatformHost: (host: string) => boolean,
): string {
  const host = new URL(url).hostname;
  return domainKey(serviceName, environment, isPlatformHost(host) ? PLATFORM : host);
}

/** The natural key of the monitor of a service at a custom domain. */
export function domainKey(serviceName: string, environment: Environment, domain: string): string {
  return `${serviceName}/${environment}/${domain}`;
}

/** Of a monitor that somebody adds by hand: its address may be another's as well. */
export function manualKey(id: string): string {
  return `manual/${id}`;
}

/** Of a monitor whose natural key another org's service has now. */
export function replacedKey(id: string): string {
  return `replaced/${id}`;
}

/** Of a monitor that is deleted with its history: nothing that is registered finds it. */
export function removedKey(id: string): string {
  return `removed/${id}`;
}

/** Whether it is deleted with its history: nothing changes it any more. */
export function isBeingRemoved({ id, key }: Pick<Monitor, 'id' | 'key'>): boolean {
  return key === removedKey(id);
}

/** Whether a person added it: what builders and operators register has a {@link naturalKey}. */
export function isByHand({ id, key }: Pick<Monitor, 'id' | 'key'>): boolean {
  return key === manualKey(id);
}

/** The custom domain that a registered monitor watches; null for an address of the platform, and of one that a person added. */
export function customDomainOf(monitor: Pick<Monitor, 'id' | 'key' | 'serviceName' | 'environment'>): string | null {
  const host = monitor.key.slice(domainKey(monitor.serviceName, monitor.environment, '').length);
  return isByHand(monitor) || host === PLATFORM ? null : host;
}
