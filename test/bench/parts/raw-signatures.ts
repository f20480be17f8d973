import { generateKeyPair, SignJWT } from 'jose';

/**
 * The bench's unit: RS256 signatures of jose over the claims of a service's token, in a process of its own. Told how
 * many, it answers the CPU time of one in µs.
 */
const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2_048 });

const sign = (index: number): Promise<string> =>
  new SignJWT({
    iss: 'http://127.0.0.1:3001',
    aud: 'shop-prod',
    exp: 1_800_003_600,
    iat: 1_800_000_000,
    jti: `tok_${String(index).padStart(20, '0')}`,
    scope: 'orders:read',
    sub: 'shop-prod',
    client_id: 'shop-prod',
    orgSlug: 'platform',
    token_type: 'client_credentials',
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'key_01234567890123456789' })
    .sign(privateKey);

process.on('message', async (count: number) => {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await sign(index);
  const { user, system } = process.cpuUsage(before);
  process.send?.((user + system) / count);
});
process.once('disconnect', () => process.exit());
process.send?.({ address: '' });
