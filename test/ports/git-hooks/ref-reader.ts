import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RefReader } from '../../../domain/git-hooks/ports.ts';

/** A reader and a repository with commits of `main`; see {@link REF_COMMITS}. */
export interface ReaderUnderTest {
  readonly reader: RefReader;
  readonly url: string;
  /** Ids of {@link REF_COMMITS}, oldest first. */
  readonly commits: readonly string[];
  readonly absent: string;
}

/** Each is one commit on `main`; the first is the head of `release/1.0` and of the tag `v1.0`, which has a message. */
export const REF_COMMITS: readonly { readonly message: string; readonly files: Readonly<Record<string, string>> }[] = [
  { message: 'Begin', files: { 'README.md': '1', 'services/api/index.js': '1', 'docs/a.md': '1' } },
  { message: 'Explain\n\nIn many words [skip deploy]', files: { 'docs/a.md': '2' } },
  { message: 'Change the API', files: { 'services/api/index.js': '2', 'docs/a.md': '3' } },
];

/** The org that the repository of the suite belongs to. */
export const SUITE_ORG = 'acme';
const of = (url: string) => ({ url, org: SUITE_ORG });
const never = new AbortController().signal;

/** What every {@link RefReader} guarantees. */
export function refReaderSuite(title: string, under: () => ReaderUnderTest): void {
  describe(`RefReader by ${title}`, () => {
    const commit = (index: number): string => under().commits.at(index) ?? '';

    it('reads heads of branches and tags, the commit of a tag that has a message', async () => {
      const { reader, url } = under();
      const all = Object.fromEntries(await reader.readRefs(of(url), never));
      assert.deepEqual(all, {
        'refs/heads/main': commit(2),
        'refs/heads/release/1.0': commit(0),
        'refs/tags/v1.0': commit(0),
      });
      const some = await reader.readRefs(of(url), never, ['refs/tags/v1.0', 'refs/heads/gone', 'refs/heads/1.0']);
      assert.deepEqual([...some], [['refs/tags/v1.0', commit(0)]]);
    });

    it('reads the whole message of a commit, and none of one that is not there', async () => {
      const { reader, url } = under();
      assert.match(
        (await reader.readMessage(of(url), commit(1), never)) ?? '',
        /^Explain\n\nIn many words \[skip deploy\]/,
      );
      assert.equal(await reader.readMessage(of(url), 'a'.repeat(40), never), null);
    });

    it('tells whether watched paths changed', async () => {
      const { reader, url } = under();
      const rows: readonly [base: number, head: number, paths: readonly string[], changed: boolean][] = [
        [0, 1, ['services/**'], false],
        [0, 1, ['docs/**'], true],
        [0, 1, ['docs'], true],
        [0, 2, ['services/api/**'], true],
        [0, 2, ['services/*.js'], false],
        [0, 2, ['**/*.js'], true],
        [0, 2, ['README.md'], false],
        [0, 1, ['!docs/**'], false],
        [1, 2, ['!docs/**'], true],
        [0, 2, ['**/*.md', '!docs/**'], false],
        [2, 0, ['services/**'], true],
        [2, 2, ['**'], false],
        [0, 2, ['none', 'services'], true],
      ];
      for (const [base, head, paths, changed] of rows) {
        const query = { ...of(url), base: commit(base), head: commit(head), paths };
        assert.equal(await reader.hasChanged(query, never), changed, `${base} ${head} ${paths}`);
      }
      assert.equal(
        await reader.hasChanged({ ...of(url), base: 'a'.repeat(40), head: commit(2), paths: ['**'] }, never),
        null,
      );
    });

    it('says that there is no repository, and obeys an abort', async () => {
      const { reader, url, absent } = under();
      await assert.rejects(reader.readRefs(of(absent), never), { code: 'SOURCE_MISSING' });
      await assert.rejects(reader.readRefs(of(url), AbortSignal.abort(new Error('stop'))), /stop/);
    });
  });
}
