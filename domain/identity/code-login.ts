/** What a browser keeps for us while its person is at the identity provider. */
export interface LoginAttempt {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** What the identity provider answers a login, and its refresh, with. */
export interface LoginTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Null for a client that may not refresh. It is good for one refresh. */
  readonly refreshToken: string | null;
}

/** The login of a service's own pages: authorization code with PKCE (RFC 6749, 4.1; RFC 7636). */
export interface CodeLogin {
  /** Where to send the browser. @throws UNAVAILABLE */
  begin(): Promise<{ readonly url: string; readonly attempt: LoginAttempt }>;
  /** @param query of the callback, without its question mark. @throws UNAUTHORIZED, UNAVAILABLE */
  finish(query: string, attempt: LoginAttempt): Promise<LoginTokens>;
}

/** How a login goes on, and ends. */
export interface LoginRenewal {
  /** @throws UNAUTHORIZED when the login has ended; UNAVAILABLE */
  refresh(refreshToken: string): Promise<LoginTokens>;
  /** Ends the login with all its tokens (RFC 7009). @throws UNAVAILABLE */
  revoke(refreshToken: string): Promise<void>;
}
