import type { Tokens } from '../../../domain/identity/ports.ts';

const PURPOSE = 'identity/refresh-token';

/** Longer ones are none of ours. */
const MAX_LENGTH = 200;

const PATTERN = /^(grt_[0-9a-z]{20})\.(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;

/** The refresh token of one generation of a grant (domain/identity/login.ts tells why it has this form). */
export function formatRefreshToken(tokens: Pick<Tokens, 'mac'>, grantId: string, generation: number): string {
  const name = `${grantId}.${generation}`;
  return `${name}.${tokens.mac(PURPOSE, name)}`;
}

/** Which grant and generation a genuine refresh token is of; null for anything that we did not make. */
export function readRefreshToken(
  tokens: Pick<Tokens, 'checkMac'>,
  token: string,
): { grantId: string; generation: number } | null {
  const match = token.length > MAX_LENGTH ? null : PATTERN.exec(token);
  const [, grantId = '', generation = '', mac = ''] = match ?? [];
  if (match === null || !tokens.checkMac(PURPOSE, `${grantId}.${generation}`, mac)) return null;
  return { grantId, generation: Number(generation) };
}
