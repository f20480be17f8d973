import { FairleadError } from '../domain/errors.ts';

/** The HTTP services of the platform that exist today: name, default port, base-URL variable, database, modules. */
export const SERVICES = [
  {
    name: 'idp',
    title: 'Fairlead identity provider',
    defaultPort: 3001,
    baseUrlVariable: 'IDP_URL',
    database: 'identity',
    modules: ['identity', 'oauth-clients', 'orgs', 'passport'],
  },
  {
    name: 'builder',
    title: 'Fairlead builder',
    defaultPort: 3002,
    baseUrlVariable: 'BUILDER_URL',
    database: 'builder',
    modules: ['catalog', 'deploys'],
  },
  {
    name: 'audit-ledger',
    title: 'Fairlead audit ledger',
    defaultPort: 3005,
    baseUrlVariable: 'AUDIT_URL',
    database: 'audit',
    modules: ['audit-ledger'],
  },
] as const;

export type ServiceName = (typeof SERVICES)[number]['name'];

const NAMES: readonly ServiceName[] = SERVICES.map((service) => service.name);

/** Reads `--only idp,builder`; without it every service runs. @throws VALIDATION_FAILED naming what is unknown. */
export function selectServices(args: readonly string[]): readonly ServiceName[] {
  const [flag, list, ...rest] = args;
  if (flag === undefined) return NAMES;
  if (flag !== '--only' || list === undefined || rest.length > 0) {
    throw new FairleadError('VALIDATION_FAILED', `usage: api/main.ts [--only ${NAMES.join(',')}]`);
  }
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !NAMES.some((known) => known === name));
  if (unknown.length > 0) {
    const message = `--only: no service is called ${unknown.join(', ')}; there is ${NAMES.join(', ')}`;
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return NAMES.filter((name) => wanted.includes(name));
}
