import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

/**
 * An authenticator with one fresh P-256 key. It makes what a browser sends to register it, for a challenge: an attestation
 * `none` (WebAuthn, 6.5.1 and 8.7).
 */
export function createAuthenticator(origin: string): (challenge: string) => string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const key = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from(x, 'base64url')];
  key.push(Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url'));
  const authData = Buffer.concat([
    ...[createHash('sha256').update(new URL(origin).hostname).digest(), Buffer.from('4500000000', 'hex')],
    ...[Buffer.alloc(16), Buffer.of(0, id.length), id, ...key],
  ]);
  const names = ['a363666d74646e6f6e65', '6761747453746d74a0', '686175746844617461', '58'];
  const attestation = Buffer.concat([Buffer.from(names.join(''), 'hex'), Buffer.of(authData.length), authData]);
  return (challenge) => {
    const clientData = JSON.stringify({ type: 'webauthn.create', challenge, origin, crossOrigin: false });
    return JSON.stringify({
      ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
      clientExtensionResults: {},
      response: {
        clientDataJSON: Buffer.from(clientData).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: [],
      },
    });
  };
}
