import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ErrorCode } from '../../domain/errors.ts';

/** A repository under attackers' hands, before it is served. */
export interface HostileWorktree {
  readonly path: string;
  readonly git: (args: readonly string[], input?: string) => Promise<string>;
  /** Writes a file of the work tree. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** A link of the work tree. */
  readonly link: (name: string, target: string) => Promise<void>;
  /** Makes this tree the content of the branch, which no work tree could hold. */
  readonly publish: (tree: string) => Promise<void>;
}

/** A repository on the platform's git host that means harm. */
export interface HostileRepository {
  readonly name: string;
  /** What it does to the repository of a working app. `home` is the operator's. */
  readonly make: (tree: HostileWorktree, facts: { readonly home: string }) => Promise<void>;
  /** Fields of the service. */
  readonly service?: Readonly<Record<string, string>>;
  readonly code: ErrorCode;
  readonly message: RegExp;
}

const REFUSED = 'SOURCE_REFUSED' as const;
const OUTSIDE = /points outside the source/;

export const REPOSITORIES: readonly HostileRepository[] = [
  {
    name: 'a container file that is a link to the environment of the worker',
    make: ({ link }) => link('Dockerfile', '/proc/self/environ'),
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'a catalog that is a link to the operator’s key',
    make: ({ link }, { home }) => link('catalog-info.yaml', join(home, '.ssh/id_ed25519')),
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'a manifest that is a link to the docker configuration of the operator',
    make: ({ link }, { home }) => link('package.json', join(home, '.docker/config.json')),
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'an app path that is a link to the operator’s home',
    make: ({ link }, { home }) => link('app', home),
    service: { appPath: 'app' },
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'a build context that is a link to the root of the machine',
    make: async ({ link, write }) => {
      await link('context', '/');
      await write('.platform.yaml', 'buildContext: context\ndockerfile: Dockerfile\n');
    },
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'a build context that is a link through a link',
    make: async ({ link, write }) => {
      await link('a', 'b');
      await link('b', '../../../../../..');
      await write('.platform.yaml', 'buildContext: a/root\ndockerfile: Dockerfile\n');
    },
    code: REFUSED,
    message: OUTSIDE,
  },
  {
    name: 'a catalog that is a link to itself',
    make: ({ link }) => link('catalog-info.yaml', 'catalog-info.yaml'),
    code: REFUSED,
    message: /link to itself/,
  },
  {
    name: 'a catalog that is a folder',
    make: ({ write }) => write('catalog-info.yaml/x', 'x'),
    code: REFUSED,
    message: /is not a file/,
  },
  ...['.git', '.GIT', '..', '.git\u200c'].map(
    (name): HostileRepository => ({
      name: `a folder called ${JSON.stringify(name)}`,
      make: async ({ git, publish }) => {
        const hook = await git(['hash-object', '-w', '--stdin'], '#!/bin/sh\ntouch /tmp/owned\n');
        const inner = await git(['mktree'], `100755 blob ${hook}\tpost-checkout\n`);
        await publish(await git(['mktree'], `040000 tree ${inner}\t${name}\n`));
      },
      code: REFUSED,
      message: /damaged or malicious objects/,
    }),
  ),
  {
    name: 'submodules with an option for a path',
    make: async ({ git, publish }) => {
      const modules = '[submodule "x"]\n\tpath = -x\n\turl = --upload-pack=touch /tmp/owned\n';
      const blob = await git(['hash-object', '-w', '--stdin'], modules);
      await publish(await git(['mktree'], `100644 blob ${blob}\t.gitmodules\n`));
    },
    code: REFUSED,
    message: /damaged or malicious objects/,
  },
  {
    name: 'a tree that names itself a hundred thousand times over',
    make: async ({ git, publish }) => {
      let entry = `100644 blob ${await git(['hash-object', '-w', '--stdin'], 'x')}`;
      for (let depth = 0; depth < 6; depth += 1) {
        const rows = Array.from('abcdefghij', (letter) => `${entry}\t${letter}\n`);
        entry = `040000 tree ${await git(['mktree'], rows.join(''))}`;
      }
      await publish(entry.split(' ')[2] ?? '');
    },
    code: REFUSED,
    message: /more than 100000 files/,
  },
];

/** Addresses that a member may not have built: the code is that of POST /services. */
export const ADDRESSES: readonly string[] = [
  '/etc',
  'file:///root',
  'ext::sh -c "touch /tmp/owned"',
  '--upload-pack=touch /tmp/owned',
  'http://127.0.0.1:1/a/b.git',
  'https://user:pass@example.com/a.git',
  'https://example.com/a.git?x#y',
  'ssh://-oProxyCommand=touch/a/b',
  'gopher://127.0.0.1/a',
  'https://example.com/a\n.git',
];

/** Addresses whose host is no public one: the code is that of the build. */
export const INNER_HOSTS: readonly string[] = [
  'https://127.0.0.1/a/b.git',
  'https://localhost/a/b.git',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00:ec2::254]/latest/meta-data',
  'https://0x7f.1/a/b.git',
  'git@localhost:a/b.git',
];

/** The means of a repository to have programs of the machine run, or names misread; it is built and serves. */
export async function makeTricky({ git, link, write }: HostileWorktree): Promise<void> {
  await write('.gitattributes', '* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n');
  await write('.lfsconfig', '[lfs]\n\turl = http://127.0.0.1:1/\n');
  await write('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x.git\n');
  await write('.githooks/post-checkout', '#!/bin/sh\ntouch /tmp/owned\n');
  await write('.dockerignore', '../../**\n/etc/**\n');
  await link('environment', '/proc/self/environ');
  await link('hosts', '/etc/hosts');
  const names = ['-rf', '--help', '$(id)', '`id`', ';id', 'a\nb', 'a"b', "a'b", '\u202egnp.exe', 'x'.repeat(200)];
  for (const name of [...names, 'README', 'readme', 'ReadMe', 'CON', 'nul.txt']) await write(`names/${name}`, name);
  await git(['config', '--local', 'core.hooksPath', '.githooks']);
}

/** Work trees of hostile repositories write and link alike. */
export function treeWriter(path: string): Pick<HostileWorktree, 'write' | 'link'> {
  const place = async (name: string): Promise<string> => {
    await mkdir(dirname(join(path, name)), { recursive: true });
    return join(path, name);
  };
  return {
    write: async (name, text) => await writeFile(await place(name), text),
    link: async (name, target) => await symlink(target, await place(name)),
  };
}
