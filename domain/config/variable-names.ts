import { z } from 'zod';
import { INJECTED_VARIABLES } from '../service-addresses.ts';

/** Name of an environment variable: letters, digits and underscores, not beginning with a digit. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const variableNameSchema = z
  .string()
  .regex(VARIABLE_NAME, 'letters, digits and underscores, not beginning with a digit');

/**
 * What a service with model access is given (spec 1, E 6). One statement there leaves LLM_WORKSPACE_ID to services
 * that have a key of their own. It is refused: with it, a service could put itself into a workspace that it was not given.
 */
const MODEL_ACCESS_VARIABLES = [
  'LLM_FEDERATION_RULE_ID',
  'LLM_ORGANIZATION_ID',
  'LLM_SERVICE_ACCOUNT_ID',
  'LLM_WORKSPACE_ID',
];

/** Names the platform provides itself (spec 2, "Configuration variables and secrets", 5). */
const RESERVED_VARIABLES: ReadonlySet<string> = new Set([
  ...INJECTED_VARIABLES,
  'IDP_CLIENT_ID',
  'IDP_CLIENT_SECRET',
  'MONGODB_URI',
  'POSTGRES_URI',
  'REDIS_URL',
  'REDIS_KEY_PREFIX',
  'SERVICE_NAMESPACE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'FTP_PROXY',
  'NO_PROXY',
  'GIT_COMMIT',
  'ENVIRONMENT',
  'NODE_ENV',
  'PORT',
  'PUBLIC_URL',
  ...MODEL_ACCESS_VARIABLES,
]);

/** True for a variable that a service may not set, in any letter case, because the platform injects it. */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return RESERVED_VARIABLES.has(upper) || upper.startsWith('NEO4J_');
}
