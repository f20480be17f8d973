import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HtmlValue, html, renderHtml } from '../../../api/http/pages/html.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { nameAll } from '../../../web/people/who.ts';
import type { Platform } from '../../../web/platform/platform.ts';

const ANN = { kind: 'user', userId: 'usr_ann', org: 'acme', role: 'member' } as never;
const member = (userId: string, firstName: string, lastName: string) => ({
  ...{ userId, firstName, lastName, email: `${userId}@acme.example`, roles: ['member'], modules: [] },
  ...{ suspendedAt: null, createdAt: '2026-01-01T00:00:00Z' },
});

const shown = (value: HtmlValue): string => renderHtml(html`${value}`);

/** A platform whose provider has these members, and what it was asked. */
function platformOf(answer: () => readonly object[]) {
  const asked: { path: string; ids: string[] }[] = [];
  const platform = {
    async get(_service: string, path: string, _reply: unknown, query: { readonly ids: string }) {
      asked.push({ path, ids: query.ids.split(',') });
      return { items: answer(), nextCursor: null };
    },
  } as unknown as Platform;
  return { platform, asked };
}

describe('who did something', () => {
  it('is told by name, with one look-up for all of a page', async () => {
    const { platform, asked } = platformOf(() => [member('usr_bob', 'Bob', 'Miller'), member('usr_eve', '', '')]);
    const ids = ['usr_bob', 'usr_eve', 'usr_bob', 'usr_ann', 'usr_gone', 'internal', 'git:lin', 'shop-prod', null];
    const who = await nameAll({ platform, person: ANN }, { ids });
    assert.deepEqual(asked, [{ path: '/api/v2/orgs/acme/members', ids: ['usr_bob', 'usr_eve', 'usr_gone'] }]);
    const textOf = (id: string) => shown(who(id)).replace(/<[^>]*>/g, '');
    assert.deepEqual(
      ids.flatMap((id) => (id === null ? [] : [textOf(id)])),
      [
        'Bob Miller',
        'usr_eve@acme.example',
        'Bob Miller',
        'you',
        'usr_gone',
        'the platform',
        'a push by lin',
        'shop-prod',
      ],
    );
    assert.match(shown(who('usr_bob')), /title="usr_bob@acme\.example, usr_bob"/);
  });

  it('asks nobody about who is no person, and nothing where there is no org', async () => {
    const { platform, asked } = platformOf(() => assert.fail('asked'));
    await nameAll({ platform, person: ANN }, { ids: ['internal', 'git', 'usr_ann', null] });
    await nameAll({ platform, person: { ...(ANN as object), org: '' } as never }, { ids: ['usr_bob'] });
    assert.deepEqual(asked, []);
  });

  it('of more people than one call names, the first are named', async () => {
    const { platform, asked } = platformOf(() => []);
    await nameAll({ platform, person: ANN }, { ids: Array.from({ length: 250 }, (_, index) => `usr_${index}`) });
    assert.equal(asked[0]?.ids.length, 100);
    assert.equal(asked.length, 1);
  });

  it('stays an id where the provider is away or may not tell, and a name is text', async () => {
    for (const code of ['UNAVAILABLE', 'FORBIDDEN', 'ORG_NOT_FOUND'] as const) {
      const { platform } = platformOf(() => {
        throw new FairleadError(code, 'no');
      });
      const who = await nameAll({ platform, person: ANN }, { ids: ['usr_bob'] });
      assert.equal(shown(who('usr_bob')), '<code>usr_bob</code>', code);
    }
    const { platform } = platformOf(() => [member('usr_eve', '<b>you</b>', '"')]);
    const who = await nameAll({ platform, person: ANN }, { ids: ['usr_eve'] });
    assert.match(shown(who('usr_eve')), />&lt;b&gt;you&lt;\/b&gt; &quot;</);
  });
});
