import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, createBrowser, type FormFields, type Page } from '../api/identity/pages/browse.ts';
import type { TestIdp } from '../support/start-idp.ts';

export const PASSWORD = 'correct horse battery';

/** What the person types into forms, by where these are sent. */
function typed(email: string): Readonly<Record<string, FormFields>> {
  const name = { firstName: 'Ada', lastName: 'Lovelace' };
  return {
    '/login': { email, password: PASSWORD },
    '/welcome': { ...name, email, password: PASSWORD },
    '/invites/accept': { ...name, password: PASSWORD },
    '/oauth/authorize/decision': { decision: 'allow' },
    '/oauth/device': {},
    '/oauth/device/decision': { decision: 'allow' },
    '/oauth/logout/confirm': {},
  };
}

/**
 * The command `BROWSER` of the pages: opens an address as somebody would who fills in each form, agrees to everything,
 * and ends where no form is left. A redirect away from the provider is followed, as browsers do.
 */
export async function startPerson(idp: TestIdp, email: string) {
  const browser = createBrowser(idp);
  const server = createServer(async (request, response) => {
    const address = new URL(request.url ?? '/', 'http://localhost').searchParams.get('open') ?? '';
    try {
      await walk(idp, browser, address, typed(email));
      response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-person-'));
  const command = join(folder, 'browser');
  const curl = `curl -sS --fail-with-body --get --data-urlencode "open=$1" http://127.0.0.1:${port}/`;
  await writeFile(command, `#!/bin/sh\nexec ${curl} >&2\n`, { mode: 0o755 });
  return {
    command,
    browser,
    stop: async (): Promise<void> => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function walk(idp: TestIdp, browser: Browser, address: string, fields: Readonly<Record<string, FormFields>>) {
  const { origin, pathname, search } = new URL(address);
  if (origin !== idp.issuer) throw new Error(`the page leads away from the provider: ${address}`);
  let page = await browser.open(pathname + search);
  for (let forms = 0; forms < 5; forms += 1) {
    if (page.location !== null) return leave(page.location);
    const action = Object.keys(fields).find((path) => page.html.includes(`action="${path}"`));
    if (page.status >= 400 || action === undefined) break;
    page = await browser.follow(await browser.submit(page, action, { ...shown(page), ...fields[action] }));
  }
  if (page.status >= 400) throw new Error(`${address}: ${page.status} ${page.title}\n${page.html}`);
}

/** Follows a redirect to a program that may still be starting, as somebody who reloads the page. */
async function leave(location: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      await (await fetch(location)).arrayBuffer();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

/** What a link filled in already: the code of a device. */
function shown({ html }: Page): FormFields {
  const code = /<input[^>]*name="user_code"[^>]*value="([^"]+)"/.exec(html)?.[1];
  return code === undefined ? {} : { user_code: code };
}
