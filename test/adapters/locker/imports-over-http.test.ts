import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createLegacyVault } from '../../../adapters/locker/legacy-vault.ts';
import { createLockerClient } from '../../../adapters/locker/locker-client.ts';
import { FairleadError } from '../../../domain/errors.ts';

const CANARY = 'CANARY-of-an-answer';
const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };
const HANDLE = 'lk://acme/main/stripe';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answers: Answer[] = [];
let seen: { headers: IncomingMessage['headers']; url: string | undefined; body: string }[] = [];
let url = '';
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  seen.push({ headers: request.headers, url: request.url, body });
  answers.shift()?.(request, response);
});
before(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answers = [];
  seen = [];
});

const reply =
  (status: number, body: unknown): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const resolved = (data: unknown) => reply(200, { success: true, data });
const refused = (status: number, code: string) =>
  reply(status, { success: false, error: { code, message: `${CANARY} in a message`, details: CANARY } });
const text =
  (status: number, body: string): Answer =>
  (_request, response) =>
    void response.writeHead(status).end(body);

const forgotten: string[] = [];
const tokens = (token = () => Promise.resolve('token-1')) => ({
  token,
  forget: (old: string) => void forgotten.push(old),
});
const locker = (more: { tokens?: ReturnType<typeof tokens>; url?: string } = {}) =>
  createLockerClient({ url, tokens: tokens(), timeoutMs: 1_000, ...more });
const vault = (at = url) => createLegacyVault({ url: at, token: 'vault-token', timeoutMs: 1_000 });

/** What nobody can make anything of, whichever of the two answers so. */
const STRANGE: Readonly<Record<string, Answer>> = {
  'a page': text(200, `<html>${CANARY}</html>`),
  nothing: text(200, ''),
  'half of an answer': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write(`{"success":true,"data":{"value":"${CANARY}`);
    setImmediate(() => response.destroy());
  },
  'a hang-up': (request) => void request.socket.destroy(),
  'no end': (_request, response) => {
    response.writeHead(200).write('{');
  },
  'more than it may': text(
    200,
    JSON.stringify({ success: true, data: { handle: HANDLE, value: CANARY.repeat(20_000) } }),
  ),
  'a value that is too long': resolved({ handle: HANDLE, value: 'x'.repeat(32_769) }),
  'a value of another kind': resolved({ handle: HANDLE, value: { is: CANARY } }),
  'a redirect': (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'an error of its own': refused(500, 'INTERNAL'),
  'that it has no time': refused(503, 'UNAVAILABLE'),
  'that there is too much': refused(429, 'RATE_LIMITED'),
};

const failure = async (promise: Promise<unknown>): Promise<FairleadError> => {
  const error = await promise.then(
    () => assert.fail('it resolved'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FairleadError, String(error));
  const shown = JSON.stringify([error.message, error.details]);
  assert.ok(!shown.includes(CANARY), shown);
  return error;
};

describe('the locker over HTTP', () => {
  it('is sent the handle and the destination with the token, and gives handle and value', async () => {
    answers = [resolved({ handle: `${HANDLE}/key`, value: 'v' })];
    assert.deepEqual(await locker().resolve({ handle: HANDLE }, SHOP), { handle: `${HANDLE}/key`, value: 'v' });
    assert.equal(seen[0]?.url, '/api/resolve');
    assert.equal(seen[0]?.headers.authorization, 'Bearer token-1');
    assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), { source: { handle: HANDLE }, destination: SHOP });
  });

  for (const code of ['NOT_BOUND', 'ORG_MISMATCH', 'PERSONAL_NOT_RESOLVABLE', 'ITEM_SEALED', 'FIELD_AMBIGUOUS']) {
    it(`tells ${code} as LOCKER_RESOLVE_FORBIDDEN with the code in the message`, async () => {
      answers = [refused(code === 'FIELD_AMBIGUOUS' ? 409 : 403, code)];
      const { code: own, message, details } = await failure(locker().resolve({ handle: HANDLE }, SHOP));
      assert.deepEqual([own, message.startsWith(`${code}: `), details], ['LOCKER_RESOLVE_FORBIDDEN', true, { code }]);
    });
  }

  it('takes only its own word for it that there is nothing: another 404 is none', async () => {
    answers = [refused(404, 'LOCKER_ITEM_NOT_FOUND'), refused(404, 'NOT_FOUND'), text(404, 'nothing here')];
    assert.equal((await failure(locker().resolve({ handle: HANDLE }, SHOP))).code, 'LOCKER_HANDLE_NOT_FOUND');
    assert.equal((await failure(locker().resolve({ legacyAlias: 'OLD' }, SHOP))).code, 'LOCKER_UNREACHABLE');
    assert.equal((await failure(locker().resolve({ legacyAlias: 'OLD' }, SHOP))).code, 'LOCKER_UNREACHABLE');
  });

  it('gets a new token once when the one it has is refused', async () => {
    let count = 0;
    const renewing = tokens(async () => {
      count += 1;
      return `token-${count}`;
    });
    answers = [refused(401, 'UNAUTHORIZED'), resolved({ handle: HANDLE, value: 'v' })];
    assert.equal((await locker({ tokens: renewing }).resolve({ handle: HANDLE }, SHOP)).value, 'v');
    assert.deepEqual([forgotten.at(-1), seen[1]?.headers.authorization], ['token-1', 'Bearer token-2']);
    answers = [refused(401, 'UNAUTHORIZED'), refused(401, 'UNAUTHORIZED')];
    assert.equal(
      (await failure(locker({ tokens: renewing }).resolve({ handle: HANDLE }, SHOP))).code,
      'LOCKER_RESOLVE_FORBIDDEN',
    );
    assert.equal(answers.length, 0);
  });

  it('refuses with the code FORBIDDEN when the locker does not let the builder in', async () => {
    for (const code of ['FORBIDDEN', 'SOMETHING_NEW']) {
      answers = [refused(403, code)];
      const { code: own, details } = await failure(locker().resolve({ handle: HANDLE }, SHOP));
      assert.deepEqual([own, details], ['LOCKER_RESOLVE_FORBIDDEN', { code: 'FORBIDDEN' }]);
    }
  });

  for (const [what, answer] of Object.entries(STRANGE)) {
    it(`is unreachable when it answers with ${what}`, async () => {
      answers = [answer];
      const error = await failure(locker().resolve({ handle: HANDLE }, SHOP));
      assert.deepEqual([error.code, error.retryable], ['LOCKER_UNREACHABLE', true]);
    });
  }

  it('is unreachable when nobody is there, and when there is no token for it', async () => {
    const nobody = locker({ url: 'http://127.0.0.1:9' });
    assert.equal((await failure(nobody.resolve({ handle: HANDLE }, SHOP))).code, 'LOCKER_UNREACHABLE');
    const none = locker({ tokens: tokens(() => Promise.reject(new FairleadError('UNAUTHORIZED', 'no token'))) });
    assert.equal((await failure(none.resolve({ handle: HANDLE }, SHOP))).code, 'LOCKER_UNREACHABLE');
    assert.equal(seen.length, 0);
  });
});

describe('the legacy vault over HTTP', () => {
  it('is sent the alias with the org and the service, and gives the value', async () => {
    answers = [reply(200, { data: { value: 'v' } })];
    assert.equal(await vault().resolve('OLD.key', SHOP), 'v');
    assert.equal(seen[0]?.headers.authorization, 'Bearer vault-token');
    assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), { alias: 'OLD.key', org: 'acme', service: 'shop' });
  });

  it('tells what it has not, and what it refuses', async () => {
    answers = [text(404, CANARY), text(403, CANARY), text(401, CANARY)];
    for (const code of ['VAULT_ALIAS_NOT_FOUND', 'VAULT_RESOLVE_FORBIDDEN', 'VAULT_RESOLVE_FORBIDDEN']) {
      assert.equal((await failure(vault().resolve('OLD', SHOP))).code, code);
    }
  });

  for (const [what, answer] of Object.entries(STRANGE)) {
    it(`is unreachable when it answers with ${what}`, async () => {
      answers = [answer];
      assert.equal((await failure(vault().resolve('OLD', SHOP))).code, 'VAULT_UNREACHABLE');
    });
  }

  it('is unreachable when nobody is there', async () => {
    assert.equal((await failure(vault('http://127.0.0.1:9').resolve('OLD', SHOP))).code, 'VAULT_UNREACHABLE');
  });
});
