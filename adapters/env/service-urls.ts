import type { z } from 'zod';
import { VARIABLES_OF_SERVICES_ELSEWHERE } from '../../domain/service-addresses.ts';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { baseUrl } from './variable-kinds.ts';

type OptionalUrl = z.ZodOptional<typeof baseUrl>;

function optionalUrls<Name extends string>(variables: readonly Name[]): Record<Name, OptionalUrl> {
  const rows = variables.map((variable) => [variable, baseUrl.optional()]);
  return Object.fromEntries(rows) as Record<Name, OptionalUrl>;
}

/** The address of every service of the table, where it is known. */
export const serviceUrlsSection = optionalUrls(SERVICE_ROWS.map(({ baseUrlVariable }) => baseUrlVariable));

/** Addresses of the contract's other services, which workloads get as well. */
export const urlsElsewhereSection = optionalUrls(VARIABLES_OF_SERVICES_ELSEWHERE);
