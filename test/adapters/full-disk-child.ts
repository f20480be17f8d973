import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createArchiveStore } from '../../adapters/archives/archive-store.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSourceFetcher } from '../../adapters/git/git-source-fetcher.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { baseEnv } from '../../adapters/process/base-env.ts';
import { createWorkspace } from '../../adapters/workspace/workspace.ts';
import { FairleadError } from '../../domain/errors.ts';
import { prepareDataFolder } from '../../infra/dev/data-folder.ts';

/**
 * What our parts do on a file system of a few hundred kilobytes, mounted by whoever starts this process: given its
 * folder, a git repository and a gzip-compressed tar that do not fit; prints the outcomes as JSON.
 */
export interface FullDiskOutcomes {
  /** What the workspace says is free, before and after so many bytes were written. */
  readonly free: { readonly before: number; readonly after: number; readonly writtenBytes: number };
  readonly upload: Refusal;
  readonly written: Refusal;
  readonly unpacked: Refusal;
  readonly cloned: Refusal;
  readonly dataFolder: Refusal;
  /** Lines of a service, written until the disk was full, and again once there was room. */
  readonly output: Refusal & { readonly retryable: boolean; readonly kept: number; readonly written: number };
}

export interface Refusal {
  /** The code of the error; `done` when there was none, its text when it was none of ours. */
  readonly code: string;
  readonly message: string;
  /** What is left in the folder afterwards. */
  readonly left: readonly string[];
}

const [disk = '', repository = '', tarball = '', archiveSha256 = ''] = process.argv.slice(2);
const context = { org: null, signal: new AbortController().signal, onLine: () => undefined };

async function refusal(folder: string, work: () => Promise<unknown>): Promise<Refusal> {
  const [code, message] = await work().then(
    () => ['done', ''] as const,
    (error: unknown) =>
      error instanceof FairleadError ? ([error.code, error.message] as const) : ([String(error), ''] as const),
  );
  return { code, message, left: readdirSync(folder) };
}

async function* uploadOf(bytes: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += 16_384) yield randomBytes(16_384);
}

const folder = (name: string): string => {
  mkdirSync(join(disk, name));
  return join(disk, name);
};

const workspaceRoot = folder('workspace');
const workspace = createWorkspace({ root: workspaceRoot });
const before = await workspace.freeBytes();
writeFileSync(join(disk, 'ballast'), Buffer.alloc(65_536));
const free = { before, after: await workspace.freeBytes(), writtenBytes: 65_536 };

const uploads = folder('uploads');
const store = createArchiveStore({ directory: uploads, newId, reserveBytes: 0 });
const upload = await refusal(uploads, () =>
  store.save(uploadOf(before), { limitBytes: before, org: 'acme', isNeeded: async () => false }),
);

mkdirSync(workspace.directory('bld_written'));
const written = await refusal(workspace.directory('bld_written'), () =>
  workspace.write('bld_written', 'Dockerfile', 'x'.repeat(before)),
);

const sources = folder('sources');
const fetcher = createSourceFetcher({
  gitUrl: null,
  gitToken: null,
  githubToken: null,
  gitOwners: [],
  repositoryTokens: null,
  localSourcesRoot: '/',
  archives: createArchiveStore({ directory: tarball, newId }),
  env: baseEnv(process.env),
});
const archive = { kind: 'archive', archiveId: 'arc_large', sha256: archiveSha256 } as const;
const unpacked = await refusal(sources, () => fetcher.fetch(archive, join(sources, 'bld_1'), context));
const git = { kind: 'git', url: repository, branch: null, commit: null } as const;
const cloned = await refusal(sources, () => fetcher.fetch(git, join(sources, 'bld_2'), context));

const data = folder('data');
writeFileSync(join(data, 'kept'), '');
const dataFolder = await refusal(data, () => prepareDataFolder(data));

const logs = createServiceLogs({ directory: folder('service-logs') });
const target = { serviceId: 'svc_full', environment: 'prod' } as const;
const log = await (await logs.takeOver()).open(target);
const batch = (number: number) => [
  {
    at: `${number}`.padStart(30, '0'),
    stream: 'out',
    text: 'x'.repeat(3_000),
    release: 'rel_1',
    workload: 'w',
  } as const,
];
let appended = 0;
let retryable = false;
const full = await refusal(join(disk, 'service-logs', 'svc_full', 'prod'), async () => {
  for (;;) {
    await log.append(batch(appended)).catch((error: unknown) => {
      retryable = error instanceof FairleadError && error.retryable;
      throw error;
    });
    appended += 1;
  }
});
rmSync(join(disk, 'ballast'));
await log.append(batch(appended));
const keptLines = (await logs.last(target, { count: 1_000, matches: () => true })).lines.length;
const output = { ...full, retryable, kept: keptLines, written: appended + 1 };

const outcomes: FullDiskOutcomes = { free, upload, written, unpacked, cloned, dataFolder, output };
process.stdout.write(JSON.stringify(outcomes));
