import { FairleadError } from '../../domain/errors.ts';
import type { CodeLogin, LoginRenewal, LoginTokens } from '../../domain/identity/code-login.ts';
import { createTokenVerifier } from '../../sdk/index.ts';
import { createHttpPlatform } from '../../web/platform/http-platform.ts';
import { AUDIENCE, type Claims, startProvider } from '../sdk/auth/test-provider.ts';
import type { BuilderParts } from './builder-parts.ts';
import { startApi } from './start-api.ts';
import { startConsole } from './start-console.ts';

/**
 * The console on the real API of the builder, which checks each token by the keys of a provider. Whoever signs in has the
 * claims that `person` says then.
 * @param through where the console finds the builder, if not at its own address
 */
export async function startConsoleOnBuilder(parts?: BuilderParts, through?: string) {
  const provider = await startProvider();
  const verifier = createTokenVerifier({
    idpUrl: provider.url,
    audience: AUDIENCE,
    revocations: { internalKey: 'test' },
  });
  const tokens = { verifier, issuer: provider.url };
  const builder = await startApi(tokens, null, parts);
  const login = createSigningLogin(provider.sign);
  const console = await startConsole({
    deps: { login, platformAs: createHttpPlatform({ urls: { builder: through ?? builder.address } }) },
  });
  return {
    builder,
    console,
    provider,
    /** By which another builder knows the same people. */
    tokens,
    /** From now on no refresh token of that person is good. */
    endLoginOf: (userId: string) => void login.ended.add(userId),
    /** A browser that is signed in as somebody. */
    async browseAs(person: Claims) {
      login.person = person;
      const browser = console.browse();
      await browser.signIn();
      return browser;
    },
    async stop(): Promise<void> {
      await console.stop();
      await builder.stop();
      verifier.close();
      await provider.stop();
    },
  };
}

export type ConsoleOnBuilder = Awaited<ReturnType<typeof startConsoleOnBuilder>>;

/** A login that lets in whoever is set, with tokens that services accept. A refresh gives the same person new ones. */
function createSigningLogin(sign: (claims: Claims) => Promise<string>) {
  const people = new Map<string, Claims>();
  const ended = new Set<unknown>();
  const tokensOf = async (person: Claims): Promise<LoginTokens> => {
    const refreshToken = `refresh-${people.size + 1}`;
    people.set(refreshToken, person);
    return { accessToken: await sign(person), expiresInSeconds: 3_600, refreshToken };
  };
  const login: CodeLogin & LoginRenewal & { person: Claims; ended: Set<unknown> } = {
    person: {},
    ended,
    begin: async () => ({
      url: 'http://idp.test/authorize',
      attempt: { verifier: 'verifier', state: 'state', nonce: 'nonce' },
    }),
    finish: () => tokensOf(login.person),
    refresh: async (token) => {
      const person = people.get(token) ?? {};
      if (ended.has(person.sub)) throw new FairleadError('UNAUTHORIZED', 'The login has ended');
      return await tokensOf(person);
    },
    revoke: async () => undefined,
  };
  return login;
}
