import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/**
 * The bench's baseline: `oidc-provider` with one client that gets RS256 tokens for itself, everything in its memory.
 * `node oidc-provider-server.ts <client id> <client secret> <audience>`; tells its parent the address.
 */
const [clientId = '', clientSecret = '', audience = ''] = process.argv.slice(2);

const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2_048, extractable: true });
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
const issuer = `http://127.0.0.1:${address.port}`;

const provider = new Provider(issuer, {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'bench' }] },
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  scopes: ['orders:read'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${audience}`,
      getResourceServerInfo: () => ({
        scope: 'orders:read',
        audience,
        accessTokenTTL: 3_600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
server.on('request', provider.callback());
process.send?.({ address: `${issuer}/token` });
process.once('disconnect', () => process.exit());
