import * as oidc from 'openid-client';
import type { StoredLogin } from './credentials-file.ts';
import { connectProvider } from './provider.ts';

/** Ends a login at its provider, with every token of it (RFC 7009). @returns false when the provider was not reached */
export async function endLogin(login: StoredLogin): Promise<boolean> {
  try {
    const config = await connectProvider(login.issuer);
    const hint = login.refreshToken === null ? 'access_token' : 'refresh_token';
    await oidc.tokenRevocation(config, login.refreshToken ?? login.accessToken, { token_type_hint: hint });
    return true;
  } catch {
    // The caller says what it means that it goes on elsewhere.
    return false;
  }
}
