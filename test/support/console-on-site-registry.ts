import type { SiteRegistryDeps } from '../../api/site-registry-app.ts';
import { createHttpPlatform } from '../../web/platform/http-platform.ts';
import type { PersonBrowser } from './console-people.ts';
import { startConsole, type TestPerson } from './start-console.ts';
import { ROOT, startSiteRegistry } from './start-site-registry.ts';

/**
 * The console on a real site registry: `root` is a super admin, `ann` an admin of an org. Their tokens are played by headers;
 * who is let in by a real one stands in test/api/site-registry-app.test.ts.
 */
export async function startConsoleOnSiteRegistry(changes: Partial<SiteRegistryDeps> = {}) {
  const stack = new AsyncDisposableStack();
  const site = stack.adopt(await startSiteRegistry(changes), ({ stop }) => stop());

  async function browserOf(person: TestPerson, played: Readonly<Record<string, string>>): Promise<PersonBrowser> {
    const playing: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...played } });
    const platformAs = createHttpPlatform({ urls: { 'site-registry': site.address }, fetch: playing });
    const console = stack.adopt(await startConsole({ person, deps: { platformAs } }), ({ stop }) => stop());
    const browser = console.browse();
    await browser.signIn();
    return { ...browser, address: console.address, logged: console.logged };
  }

  const superAdmin = { userId: 'usr_root', email: 'root@platform.example', org: 'platform' } as const;
  return {
    site,
    root: await browserOf({ ...superAdmin, platformRoles: ['super_admin'] }, ROOT),
    ann: await browserOf({}, { 'x-test-user': 'member' }),
    stop: () => stack.disposeAsync(),
  };
}

export type ConsoleOnSiteRegistry = Awaited<ReturnType<typeof startConsoleOnSiteRegistry>>;
