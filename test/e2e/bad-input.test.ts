import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ErrorCode } from '../../domain/errors.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  api,
  createService,
  dataFolder,
  ended,
  removeService,
  type TriggerReply,
  uniqueName,
  visit,
} from './harness.ts';
import { containersOf } from './sample-service.ts';

type TarHeader = Parameters<ReturnType<typeof pack>['entry']>[0];

interface Case {
  readonly name: string;
  /** Files over those of a working app. `{name}` becomes the service's name; null leaves a file out. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Entries after the files, as hostile archives have them. */
  readonly entries?: readonly TarHeader[];
  readonly code: ErrorCode;
  readonly step: string;
  readonly message: RegExp;
}

const APP: Readonly<Record<string, string>> = {
  'package.json': '{"name":"app","type":"module","scripts":{"start":"node server.js"}}',
  'server.js': 'process.exit(1);\n',
  'catalog-info.yaml': catalog(''),
  Dockerfile: 'FROM node:24-alpine\nCOPY . .\nUSER 1001\nCMD ["node", "server.js"]\n',
};

function catalog(spec: string, annotation = ''): string {
  return `metadata:
  name: {name}
  annotations:
    platform.io/catalog-version: 0.6.0
    platform.io/framework: express
    platform.io/dockerfile: Dockerfile
${annotation}spec:
  owner: platform
${spec}`;
}

/** One for each code and step; what else ends with these codes is in the tests of their parsers, and in `hostile/`. */
const CASES: readonly Case[] = [
  {
    name: 'a catalog with several wrong values, all named at once',
    files: {
      'catalog-info.yaml': catalog('  databases:\n    - type: oracle\n', '    platform.io/port: 70000\n'),
    },
    code: 'CATALOG_INVALID',
    step: 'catalog',
    message:
      /7:23.*expected a port from 1 to 65535, found 70000.*11:13.*one of mongodb, postgres, redis, neo4j, found "oracle"/s,
  },
  {
    name: 'a .platform.yaml whose path leads out of the source',
    files: { '.platform.yaml': 'dockerfile: Dockerfile\nappPath: ../other\n' },
    code: 'PLATFORM_CONFIG_INVALID',
    step: 'catalog',
    message: /^\.platform\.yaml.*2:10.*expected a relative path inside the repository.*found "\.\.\/other"/s,
  },
  {
    name: 'a Dockerfile with a misspelt instruction',
    files: { Dockerfile: 'FROM node:24-alpine\nCOPPY . .\nUSER 1001\n' },
    code: 'CONTAINER_FILE_INVALID',
    step: 'container-file',
    message: /^Dockerfile:2: unknown instruction COPPY; did you mean COPY\?$/,
  },
  {
    name: 'a Dockerfile that asks for root',
    files: { Dockerfile: 'FROM node:24-alpine\nUSER root\nCMD ["node", "server.js"]\n' },
    code: 'CONTAINER_ROOT_USER',
    step: 'container-file',
    message: /^Dockerfile:2: USER root: the image runs as root.*such as "USER 1001"$/,
  },
  {
    name: 'neither a Dockerfile nor a framework',
    files: { 'catalog-info.yaml': null, Dockerfile: null, 'package.json': null, 'notes.txt': 'nothing\n' },
    code: 'CONTAINER_FILE_MISSING',
    step: 'container-file',
    message: /add a Dockerfile, or name the framework in platform\.io\/framework/,
  },
  {
    name: 'a catalog that names another org than the service has',
    files: { 'catalog-info.yaml': catalog('').replace('owner: platform', 'owner: rival') },
    code: 'SERVICE_OWNER_MISMATCH',
    step: 'deploy-gate',
    message: /^Deploy gate: owner mismatch: spec\.owner is rival, and bad-\S+ belongs to platform\./,
  },
  {
    name: 'a tier that the wallet of the org cannot pay for three months',
    files: { 'catalog-info.yaml': catalog('', '    platform.io/pod-tier: xlarge\n') },
    code: 'INSUFFICIENT_GAS',
    step: 'deploy-gate',
    message:
      /^Deploy gate: insufficient gas reserve: the wallet of platform has 50000 tokens, and 179280 are required: 129280 are missing\. A platform admin adds them: `fairlead wallet credit 129280 --org platform --reason <text>`; or declare a smaller platform\.io\/pod-tier\.$/,
  },
  {
    name: 'a required variable without a value',
    files: { 'catalog-info.yaml': catalog('  config:\n    - key: PAYMENT_URL\n      required: true\n') },
    code: 'CONFIG_PREFLIGHT_FAILED',
    step: 'config-preflight',
    message:
      /^Config preflight failed: set PAYMENT_URL for bad-.*, then deploy again\.\nTo set it: `fairlead config set PAYMENT_URL=VALUE /,
  },
  {
    name: 'an instruction that fails',
    files: { Dockerfile: 'FROM node:24-alpine\nRUN echo broken-on-purpose && exit 7\nUSER 1001\n' },
    code: 'IMAGE_BUILD_FAILED',
    step: 'image-build',
    message: /echo broken-on-purpose && exit 7.*7/s,
  },
  {
    name: 'an archive whose entry climbs out',
    entries: [{ name: '../../evil.txt', type: 'file', size: 0 }],
    code: 'ARCHIVE_INVALID',
    step: 'source',
    message: /^Archive entry "\.\.\/\.\.\/evil\.txt" leads out of the archive with "\.\."; remove it from the archive$/,
  },
];

describe('bad input ends the build at its step, says where and what, and installs nothing', { concurrency: 3 }, () => {
  for (const row of CASES) {
    it(row.name, async () => {
      const service = uniqueName('bad');
      await createService(service, {});
      try {
        await assertRefused(row, service);
      } finally {
        await removeService(service);
      }
    });
  }
});

async function assertRefused(row: Case, service: string): Promise<void> {
  const reply = await upload(service, await archiveOf(row, service));
  assert.equal(reply.status, 202, JSON.stringify(reply.error));
  const { buildId } = reply.data;
  const build = await ended(buildId);
  assert.equal(build.status, 'failed');
  assert.equal(build.reason, 'step_failed');
  assert.equal(build.failure?.code, row.code, build.failure?.message);
  assert.match(build.failure?.message ?? '', row.message);
  assert.equal(build.failure?.step, row.step);
  const at = build.steps.findIndex(({ key }) => key === row.step);
  assert.equal(build.steps[at]?.state, 'failed');
  assert.ok(
    build.steps.slice(at + 1).every(({ state }) => state === 'pending' || state === 'skipped'),
    'nothing after it ran',
  );
  assert.equal(build.releaseId, null);
  assert.deepEqual(await containersOf(buildId), []);
  assert.equal((await visit(service)).status, 404);
  const folder = join(dataFolder(), 'workspaces', buildId);
  await waitUntil(`the removal of ${folder}`, () =>
    access(folder).then(
      () => false,
      () => true,
    ),
  );
}

describe('an upload that can be no archive is refused at once', () => {
  const BODIES: readonly (readonly [string, Buffer, RegExp])[] = [
    ['a zip file', Buffer.from('PK\u0003\u0004 rest of a zip'), /^The body is a zip file: send a gzip-compressed tar/],
    ['an empty body', Buffer.alloc(0), /^The body is empty: send a gzip-compressed tar$/],
    ['plain text', Buffer.from('hello world'), /^The body is something else: send a gzip-compressed tar/],
  ];
  for (const [name, body, message] of BODIES) {
    it(name, async () => {
      const service = uniqueName('bad');
      await createService(service, {});
      try {
        const reply = await upload(service, body);
        assert.equal(reply.status, 400);
        assert.equal(reply.error.code, 'ARCHIVE_INVALID');
        assert.match(reply.error.message, message);
        const builds = await api<{ items: unknown[] }>('GET', `/builds?service=${service}`);
        assert.deepEqual(builds.data.items, []);
      } finally {
        await removeService(service);
      }
    });
  }
});

function upload(service: string, body: Buffer) {
  return api<TriggerReply>('POST', `/builds/upload?service=${service}`, body);
}

async function archiveOf(row: Case, service: string): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries({ ...APP, ...row.files })) {
    if (text !== null) tar.entry({ name }, text.replaceAll('{name}', service));
  }
  for (const entry of row.entries ?? []) {
    if (entry.type === 'file') tar.entry(entry, '');
    else tar.entry(entry);
  }
  tar.finalize();
  return gzipSync(await buffer(tar));
}
