/** What a browser keeps for us while its person is at the identity provider. */
export interface LoginAttempt {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The login of a service's own pages: authorization code with PKCE (RFC 6749, 4.1; RFC 7636). */
export interface CodeLogin {
  /** Where to send the browser. @throws UNAVAILABLE */
  begin(): Promise<{ readonly url: string; readonly attempt: LoginAttempt }>;
  /** @param query of the callback, without its question mark. @throws UNAUTHORIZED, UNAVAILABLE */
  finish(
    query: string,
    attempt: LoginAttempt,
  ): Promise<{ readonly accessToken: string; readonly expiresInSeconds: number }>;
}
