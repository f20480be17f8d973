import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  generatePrimeSync,
  randomBytes,
  sign,
} from 'node:crypto';

/**
 * A chain of certificates that takes whoever verifies it long: each is signed with RSA of 3,072 bits whose public exponent
 * has nearly as many. Nobody may be asked to trust it: the signatures are verified before that is known.
 */
export function makeSlowChain(length: number): { readonly key: string; readonly cert: string } {
  const slow = slowKey();
  const spki = createPublicKey(slow).export({ type: 'spki', format: 'der' });
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = (
    serial: number,
    [subject, issuer]: readonly [string, string],
    key: Buffer,
    extension: Buffer,
  ) => {
    const [version, validity] = [der(0xa0, integer(2)), der(0x30, time('250101000000Z'), time('350101000000Z'))];
    const tbs = der(
      0x30,
      ...[
        version,
        der(2, Buffer.from([1, serial])),
        ALGORITHM,
        nameOf(issuer),
        validity,
        nameOf(subject),
        key,
        extension,
      ],
    );
    const signed = der(0x30, tbs, ALGORITHM, der(3, Buffer.from([0]), sign('sha256', tbs, slow)));
    const lines = signed.toString('base64').replace(/.{64}/g, '$&\n');
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  };
  const own = leaf.publicKey.export({ type: 'spki', format: 'der' });
  const authorities = Array.from({ length }, (_, index) => {
    const issuer = index === length - 1 ? index : index + 1;
    return certificate(index + 2, [`c${index}`, `c${issuer}`], spki, IS_AUTHORITY);
  });
  return {
    key: String(leaf.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: [certificate(1, ['leaf', 'c0'], own, FOR_SITE), ...authorities].join(''),
  };
}

const BITS = 3_072;
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

function slowKey() {
  const [p, q] = [prime(), prime()];
  const phi = (p - 1n) * (q - 1n);
  for (;;) {
    const e = numberOf(randomBytes(BITS / 8 - 2)) | 1n;
    const d = inverse(e, phi);
    if (d === null) continue;
    const qi = inverse(q, p) ?? 0n;
    const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi };
    const key = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64Url(value)]));
    return createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...key } });
  }
}

function prime(): bigint {
  return generatePrimeSync(BITS / 2, { bigint: true });
}

/** Null where there is none. */
function inverse(value: bigint, modulus: bigint): bigint | null {
  let [before, rest] = [value, modulus];
  let [factor, next] = [1n, 0n];
  while (rest !== 0n) {
    const quotient = before / rest;
    [before, rest] = [rest, before - quotient * rest];
    [factor, next] = [next, factor - quotient * next];
  }
  return before === 1n ? ((factor % modulus) + modulus) % modulus : null;
}

function base64Url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}

/** X.690, DER. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const oid = (hex: string): Buffer => der(6, Buffer.from(hex, 'hex'));
const integer = (value: number): Buffer => der(2, Buffer.from([value]));
const time = (text: string): Buffer => der(0x17, Buffer.from(text));
const nameOf = (common: string): Buffer =>
  der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(common)))));
/** sha256WithRSAEncryption */
const ALGORITHM = der(0x30, oid('2a864886f70d01010b'), der(5));
const TRUE = der(1, Buffer.from([255]));
const IS_AUTHORITY = der(0xa3, der(0x30, der(0x30, oid('551d13'), TRUE, der(4, der(0x30, TRUE)))));
const FOR_SITE = der(
  0xa3,
  der(0x30, der(0x30, oid('551d11'), der(4, der(0x30, der(0x82, Buffer.from('site.example')))))),
);
