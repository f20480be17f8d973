import { cliVariable } from '../domain/service-addresses.ts';
import { serviceRow } from '../domain/services.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { OtherService } from './connection.ts';
import type { CliContext } from './context.ts';
import { createAuthorization } from './login/authorization.ts';

/** Codes of what can be wrong with where a service is. */
export interface ServiceCodes {
  readonly unknown: string;
  readonly unsafe: string;
}

/**
 * A service of the platform that belongs to a builder API. A login goes to it as it goes to the API. The key of this
 * checkout's stack goes to the services of that stack alone, and no credential goes in the clear that did not do so
 * already.
 * @throws CliFailure with one of `codes`
 */
export function connectToService(
  { connection, credentials, now }: CliContext,
  name: OtherService,
  codes: ServiceCodes,
): ApiClient {
  const row = serviceRow(name);
  const { title, baseUrlVariable } = row;
  const { api } = connection;
  const variable = cliVariable(row);
  const service = connection.service(name);
  if (service === null) {
    throw new CliFailure(codes.unknown, `The ${title} of ${api} is not known.`, {
      exit: 'unreachable',
      remedy: `Set ${variable} to its address: ${baseUrlVariable} where that API runs.`,
    });
  }
  if (api.startsWith('https:') && !service.url.startsWith('https:')) {
    throw new CliFailure(codes.unsafe, `The ${title} at ${service.url} is not encrypted, and ${api} is.`, {
      exit: 'auth',
      remedy: `Your credential is not sent there: set ${variable} to an https address.`,
    });
  }
  const isKeptKey = connection.credential?.kind === 'key' && connection.credential.source === 'checkout';
  const credential = isKeptKey && !service.ofCheckout ? null : connection.credential;
  const authorize = createAuthorization({ ...connection, credential }, credentials, now);
  return createApiClient({ api: service.url, credential }, authorize, { name: title, variable });
}
