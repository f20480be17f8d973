/** Words that make a name sensitive wherever they stand in it; compared without separators and case. */
const WORDS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'privatekey',
  'encryptionkey',
  'signingkey',
  'internalkey',
  'servicekey',
  'authorization',
  'credential',
  'connectionstring',
];

/** Sensitive only as a whole name: as a part they mean other things (`author`, `keyboard`, `cookieConsent`). */
const WHOLE_NAMES: ReadonlySet<string> = new Set(['auth', 'cookie', 'setcookie', 'pwd', 'pass', 'jwt']);

/** Names that carry a sensitive word and yet no secret. */
const HARMLESS =
  /(?:(?:token|secret|password|key|credential)s?(?:name|count|limit|length|type|ttl|expiry|expires|expiresin|url|uri|endpoint|path|file|id|policy|enabled|required)|tokens|maxtokens)$/;

/** True for a field or variable name whose value must not be shown: password, secret, token, API key and the like. */
export function isSensitiveName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (WHOLE_NAMES.has(plain)) return true;
  if (/(?:^|[_.-])(?:pwd|pass|jwt)$/i.test(name)) return true;
  // Service ids and the like are public; an access key id is half of a credential.
  if (HARMLESS.test(plain) && !plain.endsWith('accesskeyid')) return false;
  return WORDS.some((word) => plain.includes(word));
}
