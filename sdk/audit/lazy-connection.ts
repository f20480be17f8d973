import { FairleadError } from '../../domain/errors.ts';
import { createServiceTokens } from '../auth/service-tokens.ts';
import { connectLedger, type LedgerConnection, type LedgerCredential } from './ledger-connection.ts';

export interface ConnectionOptions {
  /** AUDIT_URL */
  readonly auditUrl: string | undefined;
  /** IDP_URL */
  readonly idpUrl?: string | undefined;
  /** IDP_CLIENT_ID */
  readonly clientId?: string | undefined;
  /** IDP_CLIENT_SECRET */
  readonly clientSecret?: string | undefined;
  /** The platform's own key, in the place of tokens. Services have none. */
  readonly apiKey?: string | undefined;
  /** Client id of the ledger at the identity provider. */
  readonly audience?: string;
  readonly fetch?: typeof fetch;
}

/** Client id of the ledger in every installation. */
const LEDGER_CLIENT = 'audit-ledger';

/** Checks what is configured when it is first used: making a client must not take its service down. */
export function lazyConnection(options: ConnectionOptions): () => LedgerConnection {
  let connection: LedgerConnection | null = null;
  return () => {
    connection ??= connectLedger({
      url: requireConfigured(options),
      credential: credentialOf(options),
      fetch: options.fetch ?? globalThis.fetch,
    });
    return connection;
  };
}

function requireConfigured({ auditUrl, apiKey, idpUrl, clientId, clientSecret }: ConnectionOptions): string {
  const needed = {
    AUDIT_URL: auditUrl,
    ...(apiKey ? {} : { IDP_URL: idpUrl, IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: clientSecret }),
  };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length === 0 && auditUrl) return auditUrl;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `The audit client cannot work without ${missing.join(', ')}: declare spec.auth in the catalog, then deploy; ` +
      'outside the installation, set them',
    { details: { missing } },
  );
}

function credentialOf({ apiKey, audience, ...options }: ConnectionOptions): LedgerCredential {
  if (apiKey) return { kind: 'key', key: apiKey };
  const { idpUrl, clientId, clientSecret, fetch } = options;
  const tokens = createServiceTokens({
    idpUrl,
    clientId,
    clientSecret,
    audience: audience ?? LEDGER_CLIENT,
    ...(fetch === undefined ? {} : { fetch }),
  });
  return { kind: 'tokens', tokens };
}
