import { type ApiClient, createApiClient } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';
import { createAuthorization } from './login/authorization.ts';

/**
 * The audit ledger that belongs to a builder API. A login goes to it as it goes to the API. The key of this checkout's
 * stack goes to the ledger of that stack alone, and no credential goes in the clear that did not do so already.
 * @throws CliFailure NO_LEDGER, LEDGER_UNSAFE
 */
export function connectToLedger({ connection, credentials, now }: CliContext): ApiClient {
  const { api, audit } = connection;
  if (audit === null) {
    throw new CliFailure('NO_LEDGER', `The audit ledger of ${api} is not known.`, {
      exit: 'unreachable',
      remedy: 'Set FAIRLEAD_AUDIT_URL to its address: AUDIT_URL where that API runs.',
    });
  }
  if (api.startsWith('https:') && !audit.url.startsWith('https:')) {
    throw new CliFailure('LEDGER_UNSAFE', `The audit ledger at ${audit.url} is not encrypted, and ${api} is.`, {
      exit: 'auth',
      remedy: 'Your credential is not sent there: name the ledger by an https address.',
    });
  }
  const isKeptKey = connection.credential?.kind === 'key' && connection.credential.source === 'checkout';
  const credential = isKeptKey && !audit.ofCheckout ? null : connection.credential;
  const authorize = createAuthorization({ ...connection, credential }, credentials, now);
  return createApiClient({ api: audit.url, credential }, authorize, {
    name: 'audit ledger',
    variable: 'FAIRLEAD_AUDIT_URL',
  });
}
