import type { GateSkip } from '../gate.ts';

/** The services that the platform is made of (spec 2, "Deploy gate"). */
const NAMES: readonly string[] = [
  ...['wallet', 'gateway', 'console', 'registry', 'idp', 'identity-provider', 'test-runner'],
];

/** A service of the platform itself. The name alone is not enough: whoever took it first would deploy without gas. */
export const platformService: GateSkip = ({ service, org, settings }) =>
  NAMES.includes(service) && org === settings.platformOrg ? `${service} is a service of the platform` : null;
