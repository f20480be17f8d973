import { createHash, randomBytes } from 'node:crypto';
import type { TestIdp } from '../../../support/start-idp.ts';

/** What came back, with what a person would see of it. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Path and query it was asked for at. */
  readonly path: string;
  /** The heading. */
  readonly title: string;
  /** Where a redirect leads; null for none. */
  readonly location: string | null;
}

export interface FormFields {
  readonly [name: string]: string;
}

/** A browser without JavaScript: keeps cookies, fills in forms, follows redirects as long as they stay on the provider. */
export function createBrowser(idp: Pick<TestIdp, 'call' | 'issuer'>) {
  const cookies = new Map<string, string>();

  async function request(
    method: string,
    path: string,
    options: { form?: FormFields | URLSearchParams; json?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await idp.call(method, path, {
      ...options,
      headers: { ...(cookie === '' ? {} : { cookie }), ...options.headers },
    });
    for (const line of answer.headers.getSetCookie()) keep(line);
    const title = /<h1>([^<]*)<\/h1>/.exec(answer.text)?.[1] ?? '';
    return {
      status: answer.status,
      headers: answer.headers,
      html: answer.text,
      path,
      title,
      location: answer.headers.get('location'),
    };
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }

  /** Follows redirects on the provider; one that leads away is returned as it is. */
  async function follow(page: Page): Promise<Page> {
    let current = page;
    for (let hops = 0; hops < 10 && current.location !== null; hops += 1) {
      const url = new URL(current.location, idp.issuer);
      if (url.origin !== idp.issuer) return current;
      current = await request('GET', url.pathname + url.search);
    }
    return current;
  }

  return {
    cookies,
    request,
    follow,
    open: async (path: string): Promise<Page> => follow(await request('GET', path)),
    /** Sends the form of the page with that action, its hidden fields included. */
    async submit(page: Page, action: string, fields: FormFields = {}, headers: Record<string, string> = {}) {
      const form = { ...hiddenFields(page, action), ...fields };
      return request('POST', action, { form, headers: { 'sec-fetch-site': 'same-origin', ...headers } });
    },
    /** Signs in with a password, and stays where that leads. */
    async logIn(email: string, password: string, returnTo?: string): Promise<Page> {
      const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
      const login = await this.open(`/login${query}`);
      return follow(await this.submit(login, '/login', { email, password }));
    },
  };
}

export type Browser = ReturnType<typeof createBrowser>;

/** Values of the hidden inputs of a form. @throws Error when the page has no such form */
export function hiddenFields(page: Page, action: string): FormFields {
  const forms = [...page.html.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([text]) => text);
  const form = forms.find((text) => new RegExp(`action="${action}"`).test(text.replaceAll('\n', ' ')));
  const button = page.html.includes(`formaction="${action}"`) ? forms.find((text) => text.includes(action)) : undefined;
  const found = form ?? button;
  if (found === undefined) throw new Error(`no form sends to ${action} on: ${page.status} ${page.html}`);
  const inputs = found.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, decode(value)]));
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');
}

/** A verifier and its S256 challenge (RFC 7636). */
export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Path and query of an authorization request; undefined leaves a parameter out. */
export function authorizePath(parameters: Readonly<Record<string, string | undefined>>): string {
  const defaults = {
    response_type: 'code',
    scope: 'openid',
    state: 'state-of-the-client',
    code_challenge: createPkce().challenge,
    code_challenge_method: 'S256',
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...defaults, ...parameters })) {
    if (value !== undefined) query.set(name, value);
  }
  return `/oauth/authorize?${query.toString()}`;
}

/** Parameters of a redirect that leads away from the provider. */
export function answerOf(page: Page): Record<string, string> {
  if (page.location === null) throw new Error(`no redirect: ${page.status} ${page.html}`);
  return Object.fromEntries(new URL(page.location).searchParams);
}
