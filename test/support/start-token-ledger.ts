import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { serviceRow } from '../../domain/services.ts';
import { createTokenVerifier } from '../../sdk/index.ts';
import { countDenylistReads } from './denylist-reads.ts';
import { KEY, startIdp, type TestIdp } from './start-idp.ts';
import { startLedger, type TestLedger } from './start-ledger.ts';

/** The ledger that takes the tokens of a real identity provider. */
export async function startTokenLedger(changes: Omit<Parameters<typeof startLedger>[0] & object, 'signIn'> = {}) {
  const idp = await startIdp();
  const reads = countDenylistReads();
  const verifier = createTokenVerifier({
    idpUrl: idp.issuer,
    audience: serviceRow('audit-ledger').platformClient,
    revocations: { internalKey: KEY },
    fetch: reads.fetch,
  });
  const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
  const authenticate = createTokenAuth({ internalKey, verifier, platformOrg: 'platform' });
  const ledger = await startLedger({
    ...changes,
    signIn: (address) => {
      const redirectUri = `${address}/api/auth/callback`;
      return {
        authenticate,
        login: createCodeLogin({ issuer: idp.issuer, clientId: serviceRow('audit-ledger').pagesClient, redirectUri }),
      };
    },
  });

  /** Mints a service's own token, as a service does. */
  async function mint(clientId: string, clientSecret: string, more: Record<string, string> = {}): Promise<string> {
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const form = {
      grant_type: 'client_credentials',
      audience: serviceRow('audit-ledger').platformClient,
      ...credentials,
      ...more,
    };
    const { status, body, text } = await idp.call('POST', '/api/oauth/token', { form });
    if (status !== 200) throw new Error(`no token for ${clientId}: ${text}`);
    return body.access_token;
  }

  const stop = async (): Promise<void> => {
    verifier.close();
    await ledger.stop();
    await idp.stop();
  };
  return { idp, ledger, mint, denylistReads: reads.begun, stop };
}

export interface TokenLedger {
  readonly idp: TestIdp;
  readonly ledger: TestLedger;
  readonly mint: (clientId: string, clientSecret: string, more?: Record<string, string>) => Promise<string>;
  /** How many reads of the denylist the ledger has begun. */
  readonly denylistReads: () => number;
  readonly stop: () => Promise<void>;
}
