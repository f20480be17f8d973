import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts';

export interface HostTarget {
  readonly service: string;
  readonly environment: Environment;
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The name in a Host header, in lower case, without a port and a final dot; empty without one. */
export function hostOf(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}

/**
 * Which service a Host header asks for: `<service>.<env>.<domain>`, or `<service>.<domain>` for production (spec 2,
 * "Custom domains"). Null for anything else.
 */
export function parseHost(host: string | undefined, domain: string): HostTarget | null {
  const name = hostOf(host);
  const suffix = `.${domain}`;
  if (!name.endsWith(suffix)) return null;
  const [service = '', environment = 'prod', ...more] = name.slice(0, -suffix.length).split('.');
  if (more.length > 0 || !LABEL.test(service)) return null;
  const known = ENVIRONMENTS.find((candidate) => candidate === environment);
  return known === undefined ? null : { service, environment: known };
}
