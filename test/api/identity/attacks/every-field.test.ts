import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createBrowser } from '../pages/browse.ts';
import {
  type FieldPath,
  fieldsOf,
  type Operation,
  operationsOf,
  sampleOf,
  saysSomething,
  takesType,
} from './described-fields.ts';

const PASSWORD = 'correct horse battery';
/** Longer than any field may be, and than a form. */
const LONG = 'x'.repeat(100_000);
/** JSON has no number this large: it is read as Infinity. Written into the body as it stands here. */
const HUGE_NUMBER = '<1e400>';
const HOSTILE: readonly unknown[] = [{ $gt: '' }, [], ['x'], 1, true, null, HUGE_NUMBER, LONG];

/** What may stand in a path where an id belongs. */
const HOSTILE_IDS = [
  '%7B%22%24gt%22%3A%22%22%7D',
  '$gt',
  '%00',
  '..%2F..%2Fetc',
  '__proto__',
  'constructor',
  'x'.repeat(4_000),
];

/** Every field of a JSON body with every value that has no business there. */
function hostileFieldsOf({ body }: Operation) {
  return fieldsOf(body).flatMap(({ path, schema }) =>
    HOSTILE.filter((value) => value === LONG || value === HUGE_NUMBER || !takesType(schema, value)).map((value) => ({
      path,
      schema,
      value,
    })),
  );
}

describe('whatever is sent in a field', () => {
  let idp: TestIdp;
  let operations: readonly Operation[];
  let session: Record<string, string>;
  let calls = 0;
  before(async () => {
    idp = await startIdp({ trustedProxies: ['loopback'] });
    await idp.seedUser('root@example.com', { password: PASSWORD, platformRoles: ['super_admin'] });
    const browser = createBrowser(idp);
    await browser.logIn('root@example.com', PASSWORD);
    session = {
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: idp.issuer,
    };
    operations = operationsOf((await idp.call('GET', '/openapi.json')).body);
    assert.ok(operations.length > 90, 'the provider describes its routes');
  });
  after(() => idp.stop());

  /** With the strongest credential the route takes, and from another address each time, or limits would hide the answer. */
  async function send(
    { method, path, credential }: Operation,
    sent: { body?: string; type?: string; path?: string } = {},
  ): Promise<Answer> {
    calls += 1;
    const credentials = credential === 'session' || path.startsWith('/account') ? session : idp.internal;
    const response = await fetch(`${idp.address}${sent.path ?? concrete(path)}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(credential === 'none' && !path.startsWith('/account') ? {} : credentials),
        'x-forwarded-for': `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
        ...(sent.type === undefined ? {} : { 'content-type': sent.type }),
      },
      ...(sent.body === undefined ? {} : { body: sent.body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, 'nobody');
  const json = (operation: Operation, body: unknown): Promise<Answer> =>
    send(operation, { body: JSON.stringify(body).replaceAll(`"${HUGE_NUMBER}"`, '1e400'), type: 'application/json' });
  const form = (operation: Operation, body: URLSearchParams): Promise<Answer> =>
    send(operation, { body: body.toString(), type: 'application/x-www-form-urlencoded' });

  /** A refusal as the route's own kind of reply has it. */
  function assertRefused({ replies }: Operation, answer: Answer, what: string): void {
    const { status, headers, body, text } = answer;
    const shown = `${what}: ${status} ${text.slice(0, 300)}`;
    assert.ok(status >= 400 && status < 500 && status !== 429, shown);
    assert.match(headers.get('cache-control') ?? '', /no-store/, shown);
    assert.equal(text.includes(LONG.slice(0, 1_000)), false, `${what}: the value comes back`);
    if (replies === 'page') {
      assert.match(headers.get('content-type') ?? '', /^text\/html/, shown);
      assert.match(text, /<h1>/, shown);
    } else if (replies === 'oauth') {
      assert.deepEqual([typeof body?.error, typeof body?.error_description], ['string', 'string'], shown);
      assert.ok(headers.get('pragma') === 'no-cache', shown);
    } else {
      assert.deepEqual([body?.success, typeof body?.error?.code], [false, 'string'], shown);
    }
  }

  /** The refusal is about this field, not about some other that the sample had wrong. */
  function assertAbout(operation: Operation, answer: Answer, path: FieldPath, what: string): void {
    assertRefused(operation, answer, what);
    assert.equal(answer.status, 400, `${what}: ${answer.text.slice(0, 300)}`);
    const field = String(path[0]);
    const named = operation.replies === 'oauth' ? answer.body.error_description : JSON.stringify(answer.body.error);
    assert.ok(
      String(named).includes(field),
      `${what}: the answer does not name ${field}: ${answer.text.slice(0, 300)}`,
    );
  }

  it('as JSON: a value of another type is refused by name, in every field of every route', async () => {
    let tried = 0;
    for (const operation of operations.filter(({ takes }) => takes.json)) {
      for (const { path, schema, value } of hostileFieldsOf(operation)) {
        const what = `${operation.method} ${operation.path} ${path.join('.')} = ${JSON.stringify(value).slice(0, 20)}`;
        const answer = await json(operation, sampleOf(operation.body, { path, value }));
        // A field that the document says nothing of is one that is never accepted, by a code of its own.
        if (saysSomething(schema)) assertAbout(operation, answer, path, what);
        else assertRefused(operation, answer, what);
        tried += 1;
      }
    }
    assert.ok(tried > 600, `${tried} were tried`);
  });

  it('as JSON: a body that is no object is refused by every route', async () => {
    for (const operation of operations.filter(({ takes }) => takes.json)) {
      for (const body of [[], 1, null, 'text', [{ $gt: '' }]]) {
        // A user info request has no fields; whoever sends one needs a token first.
        assertRefused(operation, await json(operation, body), `${operation.path} ${JSON.stringify(body)}`);
      }
    }
  });

  it('as a form: a field that is there twice, is an operator, or has no end is refused by every route', async () => {
    let tried = 0;
    for (const operation of operations.filter(({ takes, path }) => takes.form && path !== '/oauth/authorize')) {
      const sample = sampleOf(operation.body) as Record<string, string>;
      for (const { path } of fieldsOf(operation.body).filter((one) => one.path.length === 1)) {
        const name = String(path[0]);
        const what = `${operation.method} ${operation.path} ${name}`;
        const twice = new URLSearchParams({ ...sample, [name]: 'a' });
        twice.append(name, 'b');
        // RFC 8707 lets these two come more than once; what they name is then not to be had.
        const list = operation.path === '/api/oauth/token' || operation.path === '/api/oauth/device_authorization';
        if (!list || !['audience', 'resource'].includes(name)) {
          assert.equal((await form(operation, twice)).status, 400, `${what} twice`);
        }
        assertRefused(operation, await form(operation, twice), `${what} twice`);
        assertRefused(operation, await form(operation, new URLSearchParams({ ...sample, [name]: LONG })), what);
        const long = new URLSearchParams({ ...sample, [name]: LONG.slice(0, 60_000) });
        assert.equal((await form(operation, long)).status, 400, `${what} long`);
        if (operation.body.required?.includes(name)) {
          const { [name]: _, ...others } = sample;
          const operator = new URLSearchParams({ ...others, [`${name}[$gt]`]: '' });
          assert.equal((await form(operation, operator)).status, 400, `${what} as an operator`);
        }
        tried += 1;
      }
    }
    assert.ok(tried > 60, `${tried} were tried`);
  });

  it('as another type than the route takes: refused before it is read', async () => {
    for (const operation of operations.filter(({ takes }) => takes.json || takes.form)) {
      const types = [
        'text/plain',
        'multipart/form-data; boundary=x',
        ...(operation.takes.json ? [] : ['application/json']),
      ];
      for (const type of types) {
        const answer = await send(operation, { body: '{"a":1}', type });
        assertRefused(operation, answer, `${operation.path} as ${type}`);
        assert.equal(answer.status, 415, `${operation.path} as ${type}`);
      }
    }
  });

  it('in a query: repeated, as an operator, or without end, it breaks nothing and lets nothing through', async () => {
    for (const operation of operations.filter(({ query }) => query.length > 0)) {
      for (const name of operation.query) {
        for (const query of [
          `${name}=a&${name}=b`,
          `${name}[$gt]=`,
          `${name}=${'x'.repeat(8_000)}`,
          `${name}=%00%ff`,
        ]) {
          const answer = await send(operation, { path: `${concrete(operation.path)}?${query}` });
          const what = `${operation.path}?${query.slice(0, 60)}: ${answer.status} ${answer.text.slice(0, 200)}`;
          assert.ok(answer.status < 500 && answer.status !== 429, what);
          assert.equal(answer.headers.get('location')?.startsWith('http') ?? false, false, what);
          // Pages go on without a parameter they cannot read; the API says what is wrong.
          if (operation.replies !== 'page' && !query.endsWith('%ff')) assertRefused(operation, answer, what);
        }
      }
    }
  });

  it('in a path: what is no id is never found and never breaks anything', async () => {
    for (const operation of operations.filter(({ path }) => path.includes('{'))) {
      for (const id of HOSTILE_IDS) {
        const path = operation.path.replaceAll(/\{\w+\}/g, id);
        const body = operation.takes.json
          ? { body: JSON.stringify(sampleOf(operation.body)), type: 'application/json' }
          : {};
        const answer = await send(operation, { path, ...body });
        assertRefused(operation, answer, `${operation.method} ${operation.path} with ${id.slice(0, 30)}`);
      }
    }
  });

  it('names of fields that objects have by birth are no fields', async () => {
    for (const operation of operations.filter(({ takes }) => takes.json)) {
      const sample = JSON.stringify(sampleOf(operation.body));
      const polluted = sample.replace(
        '{',
        `{"__proto__":{"platformRoles":["super_admin"]}${sample === '{}' ? '' : ','}`,
      );
      const answer = await send(operation, { body: polluted, type: 'application/json' });
      assert.ok(answer.status < 500, `${operation.path}: ${answer.status}`);
      assert.equal(Object.hasOwn(Object.prototype, 'platformRoles'), false);
    }
  });

  it('nothing of all that was the fault of the provider', () => {
    assert.deepEqual(
      idp.logged.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });
});
