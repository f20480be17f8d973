import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Workspace } from '../../domain/deploys/source-ports.ts';

/** What a repository can put at a path. */
export type Planted = { readonly text: string } | { readonly link: string };

/** A workspace of its own for one test. */
export interface WorkspaceUnderTest {
  readonly workspace: Workspace;
  /** Absolute path of a directory outside every build. */
  readonly outside: string;
  /** Puts something at an absolute path, as fetched source may have it, and makes the directories above it. */
  plant(path: string, content: Planted): Promise<void>;
  /** The file at an absolute path; null when there is none, or when it is a link. */
  file(path: string): Promise<{ readonly text: string; readonly mode: number } | null>;
  /** Names in a directory, in order. */
  names(path: string): Promise<readonly string[]>;
}

const BUILD = 'bld_0123456789abcdefghjk';

/** What every {@link Workspace} guarantees. */
export function workspaceSuite(create: () => Promise<WorkspaceUnderTest>): void {
  /** The build's source is `app/file`; outside is a file `secret`. */
  async function withSource(links: Readonly<Record<string, string>> = {}) {
    const under = await create();
    const source = under.workspace.directory(BUILD);
    await under.plant(`${source}/app/file`, { text: 'text' });
    await under.plant(`${under.outside}/secret`, { text: 'secret' });
    for (const [path, link] of Object.entries(links)) await under.plant(`${source}/${path}`, { link });
    return { ...under, source };
  }

  describe('Workspace', () => {
    it('reads files and lists directories, through links that stay inside too', async () => {
      const { workspace } = await withSource({ link: 'app/file', linked: 'app' });
      assert.equal(await workspace.readText(BUILD, 'app/file', 100), 'text');
      assert.equal(await workspace.readText(BUILD, './link', 100), 'text');
      assert.equal(await workspace.readText(BUILD, 'linked/file', 100), 'text');
      assert.deepEqual((await workspace.list(BUILD, '')).toSorted(), ['app', 'link', 'linked']);
      assert.deepEqual(await workspace.list(BUILD, 'linked'), ['file']);
    });

    it('answers null and nothing for what is not there', async () => {
      const { workspace } = await withSource();
      assert.equal(await workspace.readText(BUILD, 'none', 100), null);
      assert.equal(await workspace.readText(BUILD, 'app/file/below', 100), null);
      assert.equal(await workspace.readText('bld_other', 'file', 100), null);
      assert.deepEqual(await workspace.list(BUILD, 'none'), []);
      assert.deepEqual(await workspace.list(BUILD, 'app/file'), []);
      assert.deepEqual(await workspace.list('bld_other', ''), []);
    });

    it('refuses to read or list outside, by path or by link', async () => {
      const { workspace, outside, plant, source } = await withSource({ chain: 'up/secret', loop: 'loop' });
      await plant(`${source}/absolute`, { link: `${outside}/secret` });
      await plant(`${source}/up`, { link: `../../${outside.split('/').at(-1)}` });
      const byLink = ['absolute', 'up/secret', 'chain', 'loop'];
      for (const path of [...byLink, '../../outside/secret', '/etc/passwd', 'a/../../x', 'a\0b']) {
        await assert.rejects(workspace.readText(BUILD, path, 100), { code: 'SOURCE_REFUSED', retryable: false }, path);
      }
      await assert.rejects(workspace.list(BUILD, 'up'), {
        code: 'SOURCE_REFUSED',
        message: /points outside the source/,
      });
    });

    it('refuses files that are too large, and directories', async () => {
      const { workspace } = await withSource();
      const tooLarge = { code: 'SOURCE_REFUSED', message: /larger than 3 bytes/ };
      await assert.rejects(workspace.readText(BUILD, 'app/file', 3), tooLarge);
      assert.equal(await workspace.readText(BUILD, 'app/file', 4), 'text');
      await assert.rejects(workspace.readText(BUILD, 'app', 100), { code: 'SOURCE_REFUSED', message: /not a file/ });
    });

    it('writes files with their mode, makes directories, replaces what is there', async () => {
      const { workspace, source, file, names } = await withSource();
      await workspace.write(BUILD, 'new/deep/run.sh', 'one', 0o755);
      await workspace.write(BUILD, 'new/deep/run.sh', 'two', 0o600);
      assert.deepEqual(await file(`${source}/new/deep/run.sh`), { text: 'two', mode: 0o600 });
      assert.deepEqual(await names(`${source}/new/deep`), ['run.sh']);
      await workspace.write('bld_new', 'file', 'of a build without source');
      const written = await file(`${workspace.directory('bld_new')}/file`);
      assert.deepEqual(written, { text: 'of a build without source', mode: 0o644 });
    });

    it('replaces a link instead of writing through it', async () => {
      const { workspace, outside, source, plant, file, names } = await withSource();
      await plant(`${source}/Dockerfile`, { link: `${outside}/secret` });
      await plant(`${source}/.env`, { link: `${outside}/not-there` });
      await workspace.write(BUILD, 'Dockerfile', 'FROM x');
      await workspace.write(BUILD, '.env', 'A=1');
      assert.equal((await file(`${outside}/secret`))?.text, 'secret');
      assert.deepEqual(await names(outside), ['secret']);
      assert.equal((await file(`${source}/Dockerfile`))?.text, 'FROM x');
    });

    it('refuses to write outside, and makes nothing there', async () => {
      const { workspace, outside, source, plant, names } = await withSource();
      await plant(`${source}/up`, { link: outside });
      await plant(`${source}/dangling`, { link: `${outside}/not-there` });
      for (const path of ['up/file', 'up/deep/file', 'dangling/file', '../file', '/tmp/file', '', 'app/file/below']) {
        await assert.rejects(workspace.write(BUILD, path, 'x'), { code: 'SOURCE_REFUSED' }, path);
      }
      assert.deepEqual(await names(outside), ['secret']);
    });

    it('refuses a file in place of a directory and leaves no temporary file', async () => {
      const { workspace, source, names } = await withSource();
      const refused = { code: 'SOURCE_REFUSED', message: /is a directory/ };
      await assert.rejects(workspace.write(BUILD, 'app', 'x'), refused);
      assert.deepEqual(await names(source), ['app']);
    });

    it('removes a build and follows no link out of it', async () => {
      const { workspace, outside, source, plant, names } = await withSource();
      await plant(`${source}/up`, { link: outside });
      await workspace.remove(BUILD);
      await workspace.remove(BUILD);
      assert.deepEqual(await workspace.list(BUILD, ''), []);
      assert.deepEqual(await workspace.builds(), []);
      assert.deepEqual(await names(outside), ['secret']);
    });

    it('names the builds that have a directory, and the free space', async () => {
      const fresh = await create();
      assert.deepEqual(await fresh.workspace.builds(), []);
      assert.ok((await fresh.workspace.freeBytes()) > 0);
      const { workspace, source, plant } = await withSource();
      await plant(`${source}/../file`, { text: 'not a directory' });
      await plant(`${source}/../.hidden/file`, { text: 'not a build' });
      assert.deepEqual(await workspace.builds(), [BUILD]);
      assert.ok((await workspace.freeBytes()) > 0);
    });

    it('a build id is never a path', async () => {
      const { workspace } = await create();
      for (const id of ['..', '', 'a/b', '.', '../x']) {
        assert.throws(() => workspace.directory(id), /a build id is/, id);
        await assert.rejects(workspace.readText(id, 'file', 10), /a build id is/);
      }
    });
  });
}
