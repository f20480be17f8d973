import { SERVICE_ROWS, type ServiceName, type ServiceRow } from './services.ts';

/** Base addresses of the platform's services, without a trailing slash, for those that are known. */
export type ServiceUrls = Readonly<Partial<Record<ServiceName, string>>>;

/** Services of the contract that this version does not run: the operator names their addresses. */
export const VARIABLES_OF_SERVICES_ELSEWHERE = ['GATEWAY_URL'] as const;

/** Variables by which workloads get addresses of the platform (spec 2, "Variables injected into every pod"). */
export const INJECTED_VARIABLES: readonly string[] = [
  ...SERVICE_ROWS.flatMap(({ injectedAs }) => injectedAs ?? []),
  ...VARIABLES_OF_SERVICES_ELSEWHERE,
];

type Variables = Readonly<Record<string, string | undefined>>;
type Elsewhere = Readonly<Partial<Record<(typeof VARIABLES_OF_SERVICES_ELSEWHERE)[number], string | undefined>>>;

/** Reads the base-URL variables of the table. */
export function serviceUrls(variables: Variables): ServiceUrls {
  const known = SERVICE_ROWS.flatMap(({ name, baseUrlVariable }) => {
    const url = variables[baseUrlVariable];
    return url === undefined ? [] : [[name, url] as const];
  });
  return Object.fromEntries(known);
}

/** The variable by which the command line is told of a service: FAIRLEAD_AUDIT_URL for what the platform calls AUDIT_URL. */
export function cliVariable({ baseUrlVariable }: Pick<ServiceRow, 'baseUrlVariable'>): string {
  return `FAIRLEAD_${baseUrlVariable}`;
}

/** What a workload is told of the platform's addresses, by variable. */
export function injectedAddresses(urls: ServiceUrls, elsewhere: Elsewhere): Readonly<Record<string, string>> {
  const here = SERVICE_ROWS.flatMap(({ name, injectedAs }) => (injectedAs === null ? [] : [[injectedAs, urls[name]]]));
  const others = VARIABLES_OF_SERVICES_ELSEWHERE.map((variable) => [variable, elsewhere[variable]]);
  return Object.fromEntries([...here, ...others].filter(([, url]) => url !== undefined));
}

/** The services that workloads may reach through the platform's socket. */
export function addressesForWorkloads(urls: ServiceUrls): readonly string[] {
  return SERVICE_ROWS.flatMap(({ name, reachableFromWorkloads }) => (reachableFromWorkloads && urls[name]) || []);
}
